import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { codeLocation, syntaxProblem } from "./codeLocation.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-code-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("codeLocation()", () => {
  const failWith = (stack: string, error: Error = new TypeError("failed")) => Object.assign(error, { stack });

  it("is the place that Node.js marks below a quoted line", () => {
    const stack =
      "/app/cloud/main.ts:3\n\nsyntax error here (\n       ^^^^^\n\nSyntaxError: Expected ;\n    at x";
    expect(codeLocation(failWith(stack), [])).toBe("/app/cloud/main.ts:3:8");
    const url = pathToFileURL("/app/my code/main.ts").href;
    expect(codeLocation(failWith(`${url}:1\nimport { a }\n         ^\nSyntaxError: no`), [])).toBe(
      "/app/my code/main.ts:1:10",
    );
  });

  it("is the innermost call in a file of the code, not in one of ours or of a package", () => {
    const stack = [
      "Error: no",
      "    at define (/purse/registry.js:1:1)",
      "    at new Thing (file:///app/cloud/things.ts:7:3)",
      "    at file:///app/cloud/main.ts:2:1",
    ].join("\n");
    const files = ["/app/cloud/main.ts", "/app/cloud/things.ts"];
    expect(codeLocation(failWith(stack), files)).toBe("/app/cloud/things.ts:7:3");
    expect(codeLocation(failWith(stack), ["/app/other.ts"])).toBeUndefined();
    expect(codeLocation("a text", files)).toBeUndefined();
  });

  it("is found by parsing the files for an error of syntax without a place", () => {
    const good = write("good.mjs", "export const a = 1;");
    const bad = write("bad.mjs", "export const b = 2;\nconst = 3;\n");
    const error = failWith("SyntaxError: Unexpected token '='", new SyntaxError("Unexpected token '='"));
    expect(codeLocation(error, [bad, good])).toBe(`${bad}:2:7`);
    expect(codeLocation(error, [good])).toBeUndefined();
  });
});

describe("syntaxProblem()", () => {
  it.each([
    ["main.ts", "const a: number = 1;\nexport const b = (x: string): number => a;\nsyntax error (\n", ":3:8"],
    ["main.mjs", "import { a } from './a.js';\nconst = a;\n", ":2:7"],
    ["main.cjs", "const a = require('a');\nlet b = 1; let b = 2;\n", ":2:16"],
  ])("has the place and the message of what is wrong in %s", (name, text, place) => {
    const file = write(name, text);
    expect(syntaxProblem(file)).toEqual({
      location: file + place,
      message: expect.stringMatching(/^SyntaxError/),
    });
  });

  it.each([
    ["main.ts", "import type { A } from 'a';\nconst a: A = 1 as A;\nexport default a;"],
    ["main.mts", "export const f = (x: string): number => Number(x);"],
    ["main.mjs", "export const a = await import('a');"],
    ["main.cjs", "module.exports = 1;"],
  ])("is undefined for valid code, also with types: %s", (name, text) => {
    expect(syntaxProblem(write(name, text))).toBeUndefined();
  });
});
