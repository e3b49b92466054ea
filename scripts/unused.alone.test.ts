import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-unused-"));
  copyFileSync(join(ROOT, "knip.jsonc"), join(folder, "knip.jsonc"));
  write(
    "package.json",
    JSON.stringify({ name: "root", private: true, workspaces: ["packages/*", "apps/*"] }),
  );
  const manifest = { name: "@purse/ui", exports: { ".": "./src/index.ts" } };
  write("packages/ui/package.json", JSON.stringify(manifest));
  write("packages/ui/src/index.ts", 'export { used } from "./a.ts";\n');
  write("packages/ui/src/a.ts", "export const used = 1;\n");
  write("apps/web/package.json", JSON.stringify({ name: "@purse/web", dependencies: { "@purse/ui": "*" } }));
  write("apps/web/vite.config.ts", "export default {};\n");
  write("apps/web/src/main.ts", 'import { used } from "@purse/ui";\nconsole.log(used);\n');
  write("apps/web/index.html", '<script type="module" src="/src/main.ts"></script>\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** What the check reports in the folder, without hints about settings of packages that it does not have. */
function check(): { isAccepted: boolean; report: string } {
  const knip = join(ROOT, "node_modules/.bin/knip");
  const { status, stdout } = spawnSync(process.execPath, [knip, "--no-config-hints"], {
    cwd: folder,
    encoding: "utf8",
  });
  return { isAccepted: status === 0, report: stdout };
}

describe("the check of unused code", () => {
  it("accepts what other files use", () => {
    expect(check()).toEqual({ isAccepted: true, report: "" });
  });

  it("refuses a planted export, type, file and dependency that nothing uses", () => {
    write(
      "packages/ui/src/a.ts",
      "export type Planted = number;\nexport const used = 1;\nexport const planted = used + 1;\n",
    );
    write("packages/ui/src/lonely.ts", "export const lonely = 1;\n");
    const exports = { ".": "./src/index.ts" };
    write(
      "packages/ui/package.json",
      JSON.stringify({ name: "@purse/ui", exports, dependencies: { absent: "1" } }),
    );
    const { isAccepted, report } = check();
    expect(isAccepted).toBe(false);
    expect(report).toMatch(/Unused exports \(1\)\nplanted/);
    expect(report).toMatch(/Unused exported types \(1\)\nPlanted/);
    expect(report).toMatch(/Unused files \(1\)\npackages\/ui\/src\/lonely\.ts/);
    expect(report).toMatch(/Unused dependencies \(1\)\nabsent/);
  });
});
