import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

/** Linear but slow patterns. */
const SLOW = {
  $or: Array.from({ length: 8 }, (_, i) => ({
    text: { $regex: `(?i)(x[ab]{${40 + i}}|(a|b)*a(a|b){${40 + i}}z)$` },
  })),
};
const LONG_TEXT = Array.from({ length: 1_000_000 }, (_, i) =>
  Math.imul(i, 2_654_435_761) & 65_536 ? "a" : "b",
).join("");

// slowQueries.nightly.server.test.ts has more, on both databases.
describe("a query with slow patterns", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_QUERY_TIMEOUT_MS: "500" } });
    for (let n = 0; n < 30; n++) await rest(purse, "POST", "/classes/Text", { text: LONG_TEXT, n });
  });
  afterAll(() => purse?.remove());

  it("ends at the time limit with error 124, and the server answers others again", async () => {
    const slow = await rest(purse, "GET", `/classes/Text${query({ where: SLOW, keys: "n" })}`);
    expect([slow.status, slow.body]).toEqual([400, { code: 124, error: "The query took too long" }]);
    const other = () => rest(purse, "GET", `/classes/Text${query({ where: { n: 1 }, keys: "n" })}`);
    await expect.poll(async () => Object((await other()).body.results).length).toBe(1);
  });
});
