import { beforeEach, describe, expect, it } from "vitest";
import { ReadScheduler } from "./readScheduler.ts";
import type { Sql } from "./session.ts";

describe("ReadScheduler", () => {
  let sent: string[];
  let reads: ReadScheduler;

  beforeEach(async () => {
    sent = [];
    const sql: Sql = {
      async run(text, parameters) {
        sent.push(`${text} ${JSON.stringify(parameters)}`);
        return [[String(sent.length)]];
      },
    };
    reads = new ReadScheduler({ fast: sql, fastSessions: 1, slow: sql, slowSessions: 1, maxWaitMs: 1_000 });
    // Only statements that have proved to be fast are sent without a queue.
    for (const text of ["SELECT 1", "INSERT 1"]) await reads.run(text, []);
    await nextTurn();
    sent = [];
  });

  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it("sends identical reads of one turn of the event loop once", async () => {
    const [first, second] = await Promise.all([reads.run("SELECT 1", []), reads.run("SELECT 1", [])]);
    expect(sent).toEqual(["SELECT 1 []"]);
    expect(second).toEqual(first);
  });

  it("sends a read again in the next turn, since data may have changed", async () => {
    await reads.run("SELECT 1", []);
    await nextTurn();
    await reads.run("SELECT 1", []);
    expect(sent).toHaveLength(2);
  });

  it("sends reads with different parameters separately", async () => {
    await Promise.all([reads.run("SELECT 1", ["a"]), reads.run("SELECT 1", ["b"])]);
    expect(sent).toEqual(['SELECT 1 ["a"]', 'SELECT 1 ["b"]']);
  });

  it("sends each change, even if another one is identical", async () => {
    await Promise.all([reads.run("INSERT 1", []), reads.run("INSERT 1", [])]);
    expect(sent).toHaveLength(2);
  });
});
