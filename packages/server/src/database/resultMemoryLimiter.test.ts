import { describe, expect, it } from "vitest";
import { ByteBudget } from "../core/limits/byteBudget.ts";
import { RequestScope } from "../core/limits/requestScope.ts";
import { ResultMemoryLimiter } from "./resultMemoryLimiter.ts";

const MB = 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * MB;
/** Longer than a test may take. */
const FOREVER_MS = 600_000;

/** A server that holds as much for all senders as two responses may be long. */
function createLimiter(maxWaitMs = FOREVER_MS) {
  const budget = new ByteBudget({ maxBytes: 2 * MAX_ANSWER_BYTES, maxWaitMs });
  const limiter = new ResultMemoryLimiter(budget, MAX_ANSWER_BYTES);
  const row = "x".repeat(MB);
  return {
    budget,
    scopeOf: (group: string) => new RequestScope({ group, budget, maxAnswerBytes: MAX_ANSWER_BYTES }),
    /** Reads one row of 1 MB. */
    read: (scope: RequestScope) =>
      limiter.read("statement", scope, async (maxChars) =>
        row.length <= maxChars ? { rows: [row] } : { neededChars: row.length },
      ),
  };
}

describe("ResultMemoryLimiter", () => {
  it("rejects with 116 what a response cannot have, and does not wait for what the same request holds", async () => {
    const { scopeOf, read } = createLimiter();
    const batch = scopeOf("a");
    const outcomes: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      // The response is longer than its rows.
      const outcome = await read(batch).then(
        ([row = ""]) => {
          batch.hold(row.length * 1.1 * (i + 1));
          return "read";
        },
        ({ code }) => code,
      );
      outcomes.push(outcome);
    }
    expect(outcomes).toEqual([...Array(4).fill("read"), ...Array(4).fill(116)]);
    batch.close(true);
  });

  it("does not let a request wait again that was refused memory once", async () => {
    const { budget, scopeOf, read } = createLimiter(10);
    const [batch, other] = [scopeOf("a"), scopeOf("a")];
    await read(batch);
    await read(other);
    await read(other);
    const refused = { code: 124, status: 503 };
    await expect(read(batch)).rejects.toMatchObject(refused);
    other.close(true);
    await expect(read(batch)).rejects.toMatchObject(refused);
    batch.close(true);
    expect(budget.used).toBe(0);
    await expect(read(scopeOf("a"))).resolves.toHaveLength(1);
  });
});
