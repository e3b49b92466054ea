import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/* What it measures is for the long run; here it only has to go through. */
describe("a soak test of three seconds", () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-soak-"));
  let ended: { code: number | null; output: string };

  beforeAll(async () => {
    const node = join(import.meta.dirname, "../../node_modules/.bin/node");
    const script = join(import.meta.dirname, "soak.ts");
    const child = spawn(node, [script, "--seconds", "3", "--out", folder], { stdio: "pipe" });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk));
    const code = await new Promise<number | null>((done) => child.once("exit", done));
    ended = { code, output };
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("runs without errors", () => {
    expect(ended.output).toMatch(/\d+ requests, [1-9]\d* events, 0 errors/);
    expect(ended.code).toBe(0);
  });

  it("writes a report with a chart for light and dark mode", () => {
    const page = readFileSync(join(folder, "soak.md"), "utf8");
    expect(page).toContain("| errors | none |");
    expect(page).toContain("](soak.svg)");
    expect(page).toMatch(/allocated memory in the first and the last third \| [1-9]\d+ MiB, [1-9]\d+ MiB/);
    const curve = readFileSync(join(folder, "soak.svg"), "utf8");
    expect(curve).toContain("prefers-color-scheme:dark");
    expect(curve.match(/<polyline /g)).toHaveLength(7);
    expect(curve).not.toMatch(/NaN|undefined|Infinity/);
  });
});
