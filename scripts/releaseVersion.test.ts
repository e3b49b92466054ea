import { describe, expect, it } from "vitest";
import { nameUnreleased } from "./releaseVersion.ts";

const CHANGELOG = `# Changelog

## Unreleased

### Added

- Something new.

## 0.1.0

- The first version.
`;

describe("nameUnreleased()", () => {
  it("gives unreleased changes their version, and leaves an empty section for the next ones", () => {
    const changed = nameUnreleased(CHANGELOG, "0.2.0", "2026-11-26");
    expect(changed).toContain(
      "## Unreleased\n\n## 0.2.0 (2026-11-26)\n\n### Added\n\n- Something new.\n\n## 0.1.0",
    );
    expect(() => nameUnreleased(changed, "0.3.0", "2026-11-27")).toThrow("no unreleased changes");
  });

  it("rejects a changelog without the section", () => {
    expect(() => nameUnreleased("# Changelog\n", "0.2.0", "2026-11-26")).toThrow("no unreleased changes");
  });
});
