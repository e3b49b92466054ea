import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAllowed, noticesOf, refusedPackages } from "./thirdParty.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-notices-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs a package with files besides its manifest; returns the path of its module. */
function install(name: string, license: string, files: Record<string, string> = {}): string {
  const home = join(folder, "node_modules", name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name, version: "1.2.3", license }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text);
  return join(home, "index.js");
}

describe("isAllowed", () => {
  it.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0)", true],
    ["MIT AND Zlib", false],
    ["Apache-2.0 AND MIT", true],
    ["GPL-3.0-or-later", false],
    ["BUSL-1.1", false],
    ["SEE LICENSE IN LICENSE.md", false],
    ["", false],
  ])("answers for %j with %s", (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });
});

describe("refusedPackages", () => {
  it("names packages whose license is not on the list, wherever they are installed", () => {
    const packages = {
      "": { license: "Apache-2.0" },
      "packages/own": { version: "0.1.0" },
      "node_modules/good": { license: "MIT", version: "1.0.0" },
      "node_modules/good/node_modules/@a/bad": { license: "AGPL-3.0", version: "2.0.0" },
      "node_modules/unnamed": { version: "3.0.0" },
      "node_modules/own": { link: true },
    };
    expect(refusedPackages({ packages })).toEqual([
      "@a/bad@2.0.0 has the license AGPL-3.0",
      "unnamed@3.0.0 has the license no license",
    ]);
  });

  it("lets packages be that stay outside of every build", () => {
    const packages = { "node_modules/@uniswap/v3-core": { license: "BUSL-1.1", version: "1.0.1" } };
    expect(refusedPackages({ packages })).toEqual([]);
  });
});

describe("noticesOf", () => {
  it("has the text of each package once, with its notice, and names the packages that share one", () => {
    const modules = [
      install("b", "MIT", { LICENSE: "Copyright Ada" }),
      install("a", "MIT", { "license.md": "Copyright Ada" }),
      install("@c/d", "Apache-2.0", { "LICENSE.txt": "Apache", NOTICE: "Made by Grace" }),
      "/project/src/own.ts",
      "\0rolldown/runtime.js",
    ];
    const line = "-".repeat(80);
    expect(noticesOf([...modules, ...modules])).toBe(
      `@c/d 1.2.3 (Apache-2.0)\n\nApache\n\nMade by Grace\n\n${line}\n\na 1.2.3 (MIT)\nb 1.2.3 (MIT)\n\nCopyright Ada\n`,
    );
  });

  it("refuses a package that may not be in a build", () => {
    const path = install("@uniswap/v3-core", "BUSL-1.1");
    expect(() => noticesOf([path])).toThrow("A build contains @uniswap/v3-core, whose license is BUSL-1.1");
  });
});
