import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

/* The long form, `npm run prove:leaks`, sends a hundred thousand requests. */
describe("1,200 requests of all kinds", () => {
  let ended: { code: number | null; output: string };

  beforeAll(async () => {
    const node = join(import.meta.dirname, "../../node_modules/.bin/node");
    const child = spawn(node, [join(import.meta.dirname, "leaks.ts"), "--requests", "1200"], {
      stdio: "pipe",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk));
    const code = await new Promise<number | null>((done) => child.once("exit", done));
    ended = { code, output };
  }, 600_000);

  it("leak no memory, handles, descriptors, listeners or entries", () => {
    expect(ended.output).toContain("1200 requests: nothing grows");
    expect(ended.code).toBe(0);
  });
});
