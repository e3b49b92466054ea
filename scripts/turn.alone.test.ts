import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inTurn } from "./turn.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-turn-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("inTurn()", () => {
  it("runs the tasks of several processes one after another", async () => {
    const task = `
      import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
      import { inTurn } from ${JSON.stringify(join(import.meta.dirname, "turn.mjs"))};
      const look = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      writeFileSync("started-" + process.pid, "");
      inTurn("lock", () => {
        appendFileSync("order", "<");
        // Until the others want the lock, too.
        while (readdirSync(".").filter((name) => name.startsWith("started-")).length < 4) look();
        appendFileSync("order", ">");
      });`;
    writeFileSync(join(folder, "task.mjs"), task);
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["task.mjs"], { cwd: folder, stdio: "inherit" }),
    );
    await Promise.all(processes.map((each) => once(each, "exit")));
    expect(readFileSync(join(folder, "order"), "utf8")).toBe("<><><><>");
  });

  it("takes over the lock of a process that ended without removing it", async () => {
    const ended = spawn(process.execPath, ["-e", ""]);
    await once(ended, "exit");
    writeFileSync(join(folder, "lock"), String(ended.pid));
    expect(inTurn(join(folder, "lock"), () => "done")).toBe("done");
  });

  it("releases the lock after a task that fails", () => {
    const lock = join(folder, "lock");
    const fail = () => {
      throw new Error("failed");
    };
    expect(() => inTurn(lock, fail)).toThrow("failed");
    expect(inTurn(lock, () => "next")).toBe("next");
  });
});
