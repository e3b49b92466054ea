import { describe, expect, it } from "vitest";
import { StatementProfile } from "./statementProfiles.ts";

const SQL = "SELECT doc FROM notes";

/** The profile of a statement that has proved to be fast. */
function fastStatement(): StatementProfile {
  const profile = new StatementProfile(SQL);
  profile.recordDuration(0.2);
  return profile;
}

describe("StatementProfile", () => {
  it("runs a statement in a thread until its duration is known", () => {
    expect(new StatementProfile(SQL).canRunInline).toBe(false);
    expect(fastStatement().canRunInline).toBe(true);
  });

  it("keeps a fast statement on the event loop after a single long run, when the process waited for a core", () => {
    const profile = fastStatement();
    profile.recordInlineDuration(10);
    expect(profile.canRunInline).toBe(true);
  });

  it("moves a statement to a thread after a few long runs on the event loop, or a single one in a thread", () => {
    const slowed = fastStatement();
    for (let run = 0; run < 5; run++) slowed.recordInlineDuration(10);
    expect(slowed.canRunInline).toBe(false);
    const slow = fastStatement();
    slow.recordDuration(200);
    expect(slow.canRunInline).toBe(false);
    expect(slow.isSlow).toBe(true);
  });
});
