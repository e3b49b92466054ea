import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { residentBytes } from "../support/processCpu.ts";
import { type Answer, type PurseProcess, query, rest, startPurse } from "../support/purse.ts";

const MB = 1024 * 1024;
const ROWS = 25;
const ROW_CHARS = 1.2 * MB;

describe.each(DATABASES)("large responses on %s", (database) => {
  let purse: PurseProcess;

  beforeAll(async () => {
    purse = await startPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_MAX_ANSWER_BYTES: String(4 * MB),
        PURSE_MAX_ANSWERS_BYTES: String(8 * MB),
        // A long timeout for responses that wait for each other on a busy machine.
        PURSE_QUERY_TIMEOUT_MS: "60000",
      },
    });
    for (let n = 0; n < ROWS; n++) {
      const { status } = await rest(purse, "POST", "/classes/Large", { n, text: "x".repeat(ROW_CHARS) });
      expect(status).toBe(201);
    }
    for (let n = 0; n < 5; n++) await rest(purse, "POST", "/classes/Middle", { n, text: "y".repeat(MB / 2) });
  }, 120_000);
  afterAll(() => purse?.remove());

  const find = (className: string, params: Record<string, unknown>): Promise<Answer> =>
    rest(purse, "GET", `/classes/${className}${query(params)}`);

  it("are complete up to the size limit", async () => {
    const { status, body } = await find("Large", { limit: 3, order: "n" });
    expect(status).toBe(200);
    const rows = Array.isArray(body.results) ? body.results : [];
    expect(rows.map((row) => row !== null && typeof row === "object" && "n" in row && row.n)).toEqual([
      0, 1, 2,
    ]);
    expect(JSON.stringify(rows).length).toBeGreaterThan(3 * ROW_CHARS);
  });

  it.each([
    ["too many rows", { limit: 25 }],
    ["sorted rows", { limit: 25, order: "-text" }],
    ["selected keys of too many rows", { limit: 25, keys: "n" }],
    ["rows that match a pattern", { limit: 25, where: { text: { $regex: "^x" } } }],
  ])("are rejected with 116 above the limit: %s", async (_, params) => {
    const { status, body } = await find("Large", params);
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        code: 116,
        error: "The response would be larger than 4 MB: request fewer objects at a time, with limit and skip",
      },
    });
  });

  it("are limited for all queries of a batch together", async () => {
    const requests = Array.from({ length: 3 }, (_, i) => ({
      method: "GET",
      path: `/server/classes/Large${query({ limit: 2, skip: 2 * i, order: "n" })}`,
    }));
    const { status, body } = await rest(purse, "POST", "/batch", { requests });
    expect(status).toBe(200);
    const outcomes = Array.isArray(body) ? body : [];
    expect(outcomes.map(({ success, error }) => (success ? "found" : error.code))).toEqual([
      "found",
      116,
      116,
    ]);
  });

  it("are queued, so that concurrent ones use bounded memory and are all returned", async () => {
    await find("Large", { limit: 3 });
    const before = residentBytes(purse.pid);
    let most = before;
    const watching = setInterval(() => {
      most = Math.max(most, residentBytes(purse.pid));
    }, 20);
    try {
      const refused = Array.from({ length: 6 }, () => find("Large", { limit: 25 }));
      const answered = Array.from({ length: 6 }, (_, i) => find("Large", { limit: 3, skip: i }));
      for (const { body } of await Promise.all(refused)) expect(body.code).toBe(116);
      for (const { status } of await Promise.all(answered)) expect(status).toBe(200);
    } finally {
      clearInterval(watching);
    }
    expect(Math.round((most - before) / MB)).toBeLessThan(150);
  });

  it("do not block other requests", async () => {
    const large = Promise.all(Array.from({ length: 4 }, () => find("Large", { limit: 2 })));
    const { status } = await find("Middle", { where: { n: 1 }, keys: "n" });
    expect(status).toBe(200);
    for (const answer of await large) expect(answer.status).toBe(200);
  });
});
