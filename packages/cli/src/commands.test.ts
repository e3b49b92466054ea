import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./commands.ts";
import { COMMAND_WORDS, completionScript } from "./completion.ts";
import { UsageError } from "./usageError.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-commands-"));
  const schemas = [{ className: "Note", fields: { text: { type: "String" } } }];
  writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify({ schemas })};`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in a folder of its own; returns what it has printed. */
async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const progress = { report: () => undefined, done: () => undefined };
  const print = (text: string) => void lines.push(text);
  await runCommand(args, { env: { PURSE_DATA_DIR: join(folder, "data") }, cwd: folder, progress, print });
  return lines.join("\n");
}

describe("commands", () => {
  it("show schema changes and apply them without starting the server", async () => {
    expect(await run("schema")).toContain("+ Note.text");
    expect(JSON.parse(await run("schema", "diff", "--json")).changes).toContain("+ Note.text String");
    expect(JSON.parse(await run("schema", "apply", "--json")).changes).toContain("+ Note.text String");
    expect(await run("schema", "diff")).toBe("Nothing would change.");
    expect(await run("schema", "apply")).toBe("Nothing has changed.");
  });

  it("run migrations, and show what they would write", async () => {
    mkdirSync(join(folder, "migrations"));
    const text = 'export default ({ objects }) => objects.create("Note", { text: "first" });';
    writeFileSync(join(folder, "migrations/1.js"), text);
    const report = [{ name: "1.js", changes: { Note: { created: 1, updated: 0, removed: 0 } } }];
    expect(await run("migrate", "--dry-run")).toContain('Note: 1 created\n    {"changes":{"text":"first"}}');
    expect(JSON.parse(await run("migrate", "--json"))).toMatchObject(report);
    expect(await run("migrate")).toBe("There is nothing to migrate.");
  });

  it.skipIf(process.platform === "win32")("leave files that only their user reads", async () => {
    const out = join(folder, "private.jsonl");
    await run("export", "--out", out);
    for (const file of [out, join(folder, "data"), join(folder, "data/purse.sqlite")])
      expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("print JSON with --json", async () => {
    const { key, id } = JSON.parse(await run("keys", "add", "--name", "app", "--json"));
    expect(key).toMatch(/^[\w-]{20,}$/);
    expect(JSON.parse(await run("keys", "list", "--json"))).toMatchObject([{ id, name: "app" }]);
    expect(JSON.parse(await run("keys", "revoke", "app", "--json"))).toEqual({ id });
    const added = JSON.parse(await run("operator", "add", "ada", "--json"));
    expect(added).toMatchObject({ username: "ada", role: "owner", password: expect.any(String) });
    expect(JSON.parse(await run("operator", "list", "--json"))).toMatchObject([{ username: "ada" }]);
    const file = join(folder, "export.jsonl");
    expect(JSON.parse(await run("export", "--out", file, "--json"))).toMatchObject({
      file,
      objects: expect.any(Number),
    });
  });

  it("list the files that they generate as JSON", async () => {
    expect(JSON.parse(await run("init", "--json"))).toEqual([
      { file: "purse.config.ts", isWritten: false },
      { file: "cloud/main.ts", isWritten: true },
    ]);
    const file = join(folder, "classes.ts");
    expect(JSON.parse(await run("types", "--out", file, "--json"))).toEqual({ file, isWritten: true });
    expect(JSON.parse(await run("types", "--out", file, "--json"))).toEqual({ file, isWritten: false });
    await expect(run("columns", "--json")).rejects.toThrow("This is for PostgreSQL.");
  });

  it("reject invalid arguments", async () => {
    await expect(run("nothing")).rejects.toThrow(UsageError);
    await expect(run("schema", "drop")).rejects.toThrow(UsageError);
    await expect(run("export")).rejects.toThrow(UsageError);
    await expect(run("keys")).rejects.toThrow(UsageError);
    await expect(run("columns", "extra")).rejects.toThrow(UsageError);
    await expect(run("keys", "list", "--nothing")).rejects.toMatchObject({
      code: "ERR_PARSE_ARGS_UNKNOWN_OPTION",
    });
  });
});

describe("the documentation of the command line", () => {
  it("lists the same commands as the help, with all of its options", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/cli.md"), "utf8");
    const documented = [...page.matchAll(/^\| `([a-z-]+) ?([^`]*)` \|/gm)];
    const help = [...(await run("--help")).matchAll(/^ {2}([a-z-]+) ?(.*)$/gm)];
    const namesOf = (usages: readonly RegExpExecArray[]) => new Set(usages.map(([, name]) => name));
    expect(namesOf(documented)).toEqual(namesOf(help));
    for (const [, name, rest = ""] of help) {
      const usages = documented.filter((usage) => usage[1] === name).map((usage) => usage[2]);
      for (const [option] of rest.matchAll(/--[a-z-]+/gi)) expect(usages.join(" "), name).toContain(option);
    }
  });
});

describe("the completion of commands", () => {
  it("contains the commands of the help and their options", async () => {
    const help = (await run("--help")).split("Commands of moralis-admin-cli")[0] ?? "";
    const lines = [...help.matchAll(/^ {2}([a-z]+) ?(.*)$/gm)];
    expect(lines.length).toBeGreaterThan(15);
    for (const [, name = "", rest = ""] of lines) {
      const words = COMMAND_WORDS[name];
      expect(words, name).toBeDefined();
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect(words?.options, name).toContain(option);
    }
  });

  it("completes commands, actions and options in bash", () => {
    const complete = (...words: string[]) =>
      execFileSync(
        "bash",
        [
          "-c",
          `${completionScript("bash")}\nCOMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _purse; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: "utf8" },
      ).trim();
    expect(complete("purse", "ke")).toBe("keys");
    expect(complete("purse", "schema", "a")).toBe("apply");
    expect(complete("purse", "operator", "--p")).toBe("--password");
  });

  it("has scripts for bash, zsh and fish only", () => {
    expect(completionScript("zsh")).toContain("bashcompinit");
    expect(completionScript("fish")).toContain(
      'complete -c purse -n "__fish_seen_subcommand_from keys" -l name',
    );
    expect(() => completionScript("tcsh")).toThrow(UsageError);
  });
});
