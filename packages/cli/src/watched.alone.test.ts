import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const WATCHED = resolve(import.meta.dirname, "../bin/watched.js");

/** Runs a program by `executeWatched()`, as `purse dev` does. */
function watched(source: string): { child: ChildProcess; file: string; output(): string } {
  const folder = mkdtempSync(join(tmpdir(), "purse-watched-"));
  const [file, program] = [join(folder, "settings"), join(folder, "program.mjs")];
  writeFileSync(file, "");
  writeFileSync(program, source);
  const call = `import { executeWatched } from ${JSON.stringify(WATCHED)};
    executeWatched(process.execPath, [${JSON.stringify(program)}], process.env, ${JSON.stringify(file)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", call]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  return { child, file, output: () => output };
}

const exitOf = (child: ChildProcess) => new Promise((done) => child.once("exit", done));

it("executeWatched() ends with the exit code of a program that ends at its first run", async () => {
  expect(await exitOf(watched("process.exit(3);").child)).toBe(3);
});

it("executeWatched() runs a program again when the file changes, and ends with it on SIGTERM", async () => {
  const { child, file, output } = watched(`console.log("started"); setInterval(() => {}, 1 << 30);`);
  await expect.poll(output).toBe("started\n");
  writeFileSync(file, "changed");
  await expect.poll(output).toBe("started\nstarted\n");
  const exit = exitOf(child);
  child.kill("SIGTERM");
  expect(await exit).toBe(1);
});
