import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { type PurseProcess, rest, startPurse } from "../support/purse.ts";

const COUNT = 2;

// processes.nightly.alone.test.ts has what takes longer.
describe("a server with several processes on PostgreSQL", () => {
  let purse: PurseProcess;
  beforeAll(async () => {
    purse = await startPurse({
      env: { ...(await databaseEnv("PostgreSQL")), PURSE_PROCESSES: String(COUNT) },
    });
    await vi.waitFor(() => expect(purse.output()).toContain("Ctrl-C ends it"), { timeout: 90_000 });
  });
  afterAll(() => purse?.remove());

  /** The processes that serve requests. */
  function pids(): number[] {
    const children = readFileSync(`/proc/${purse.pid}/task/${purse.pid}/children`, "utf8");
    return children.trim().split(/\s+/).map(Number);
  }

  it("replaces one that is killed, and goes on with the same data", async () => {
    const { body } = await rest(purse, "POST", "/classes/Kept", { n: 1 });
    expect(body).toMatchObject({ objectId: expect.any(String) });
    const [victim = 0] = pids();
    process.kill(victim, "SIGKILL");
    await expect.poll(() => purse.output(), { timeout: 60_000 }).toContain("is started again");
    await expect.poll(() => pids().filter((pid) => pid !== victim).length, { timeout: 60_000 }).toBe(COUNT);
    const number = async () => (await rest(purse, "GET", `/classes/Kept/${body.objectId}`)).body.n;
    await expect.poll(number).toBe(1);
  });
});
