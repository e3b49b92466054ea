import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, ".github/workflows");
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");

  it("runs only scripts that exist in the project", () => {
    const names = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("has only the permissions that its jobs need", () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m);
    expect(text).not.toMatch(/write-all|pull_request_target/);
  });
});

it("the CI runs each project of the tests once", () => {
  const config = readFileSync(join(ROOT, "vitest.config.ts"), "utf8");
  const projects = [...config.matchAll(/^ {6}kind\("(\w+)"/gm)].map(([, name]) => name);
  const commands = readFileSync(join(FOLDER, "ci.yml"), "utf8").replace(
    "npm test -- tests/browser",
    "--project browser",
  );
  const run = [...commands.matchAll(/--project (\w+)/g)].map(([, name]) => name);
  expect(projects.length).toBeGreaterThan(0);
  expect(run.sort()).toEqual(projects.sort());
});
