import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import Database from "better-sqlite3";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, startPurse } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/slow.ts");
const MASTER = { useMasterKey: true };
const STALL_MS = "60000";

interface Sent {
  status: number;
  body: JsonObject;
}

/** Sends a request with an ID and the number of the attempt. */
async function send(
  purse: Purse,
  id: string,
  path: string,
  body: object,
  attempt = 1,
  method = "POST",
): Promise<Sent> {
  const response = await fetch(`${purse.serverUrl}${path}`, {
    method,
    headers: {
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Request-Id": id,
      "Content-Type": attempt > 1 ? `text/plain; attempt=${attempt}` : "text/plain",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function count(purse: Purse, className: string, where: object = {}): Promise<unknown> {
  const path = `/classes/${className}${query({ where, count: "1", limit: "0" })}`;
  return (await rest(purse, "GET", path, undefined, MASTER)).body.count ?? 0;
}

/** Returns the rows of requests with IDs in the database. */
async function rowsOf(purse: Purse, env: Record<string, string>): Promise<unknown[]> {
  const url = env.PURSE_DATABASE_URL;
  if (url === undefined) {
    const file = new Database(join(purse.dataDir, "purse.sqlite"), { readonly: true });
    try {
      return file.prepare("SELECT * FROM purse_requests").all();
    } finally {
      file.close();
    }
  }
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return [...(await sql`SELECT * FROM purse_requests`)];
  } finally {
    await sql.end();
  }
}

/** A request that is sent to a server that crashes meanwhile, and again to the next one. */
interface Interrupted {
  send(purse: Purse, attempt: number): Promise<Sent>;
  /** Returns whether the request has reached the point of the crash. */
  isReached(purse: Purse): Promise<boolean>;
}

describe.each(DATABASES)("a request with an ID on %s", (database) => {
  let env: Record<string, string>;
  let next: Purse;
  let counted = "";

  function request(path: () => string, body: object, method = "POST") {
    const id = randomUUID();
    return (purse: Purse, attempt: number) => send(purse, id, path(), body, attempt, method);
  }
  /** Objects, one of each class, distinguished from those of other tests by `of`. */
  function batch(of: string, classNames: readonly string[], more: object = {}) {
    const requests = classNames.map((className) => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: { of },
    }));
    return request(() => "/batch", { requests, ...more });
  }
  const hasOne = async (purse: Purse, className: string, where: object) =>
    (await count(purse, className, where)) === 1;

  const beforeWrite: Interrupted = {
    send: request(() => "/classes/SlowBefore", { of: "beforeWrite" }),
    // It waits in its trigger: it has started, and nothing is written.
    isReached: async (purse) => (await rowsOf(purse, env)).length > 0,
  };
  const afterWrite: Interrupted = {
    send: request(() => "/classes/SlowAfter", { of: "afterWrite" }),
    isReached: (purse) => hasOne(purse, "SlowAfter", { of: "afterWrite" }),
  };
  const increment: Interrupted = {
    send: request(() => `/classes/SlowAfter/${counted}`, { n: { __op: "Increment", amount: 2 } }, "PUT"),
    isReached: async (purse) => (await rest(purse, "GET", `/classes/SlowAfter/${counted}`)).body.n === 7,
  };
  const halfBatch: Interrupted = {
    send: batch("halfBatch", ["SlowAfter", "Quick", "SlowBefore"]),
    isReached: async (purse) =>
      (await hasOne(purse, "SlowAfter", { of: "halfBatch" })) &&
      (await hasOne(purse, "Quick", { of: "halfBatch" })),
  };
  const transaction: Interrupted = {
    send: batch("transaction", ["SlowAfter", "Quick"], { transaction: true }),
    isReached: (purse) => hasOne(purse, "Quick", { of: "transaction" }),
  };
  const call: Interrupted = {
    send: request(() => "/functions/slow", { by: "alone" }),
    isReached: (purse) => hasOne(purse, "Called", { by: "alone" }),
  };
  const callInBatch: Interrupted = {
    send: request(() => "/batch", {
      requests: [
        { method: "POST", path: "/server/functions/slow", body: { by: "batch" } },
        { method: "POST", path: "/server/classes/Quick", body: { of: "callInBatch" } },
      ],
    }),
    isReached: async (purse) =>
      (await hasOne(purse, "Called", { by: "batch" })) &&
      (await hasOne(purse, "Quick", { of: "callInBatch" })),
  };

  beforeAll(async () => {
    env = await databaseEnv(database);
    const setUp = await hostPurse({ env: { ...env, PURSE_CLOUD: CODE } });
    const { dataDir } = setUp;
    counted = String((await rest(setUp, "POST", "/classes/SlowAfter", { n: 5 })).body.objectId);
    await setUp.stop();
    // One server crashes during all of them.
    const dying = await startPurse({ dataDir, env: { ...env, PURSE_CLOUD: CODE, STALL_MS } });
    const lost: Promise<unknown>[] = [];
    for (const each of [beforeWrite, afterWrite, increment, halfBatch, transaction, call, callInBatch]) {
      lost.push(each.send(dying, 1).catch(() => undefined));
      await vi.waitFor(async () => expect(await each.isReached(dying)).toBe(true), { timeout: 20_000 });
    }
    expect(await count(dying, "SlowBefore")).toBe(0);
    await dying.kill();
    await Promise.all(lost);
    next = await hostPurse({ dataDir, env: { ...env, PURSE_CLOUD: CODE } });
  });
  afterAll(() => next?.remove());

  it("is executed once if the server crashed before the write", async () => {
    const again = await beforeWrite.send(next, 1);
    expect(again.status).toBe(201);
    expect(await beforeWrite.send(next, 2)).toEqual(again);
    expect(await count(next, "SlowBefore", { of: "beforeWrite" })).toBe(1);
  });

  it("returns the result of the write if the server crashed after it, and is not executed again", async () => {
    const again = await afterWrite.send(next, 2);
    expect(again.status).toBe(201);
    const { body } = await rest(next, "GET", `/classes/SlowAfter${query({ where: { of: "afterWrite" } })}`);
    expect(body.results).toMatchObject([{ objectId: again.body.objectId, createdAt: again.body.createdAt }]);
    expect((await afterWrite.send(next, 1)).body.code).toBe(159);
  });

  it("increments once and returns its own result, although others have incremented since", async () => {
    const path = `/classes/SlowAfter/${counted}`;
    await rest(next, "PUT", path, { n: { __op: "Increment", amount: 10 } });
    expect((await increment.send(next, 2)).body.n).toBe(7);
    expect((await rest(next, "GET", path)).body.n).toBe(17);
  });

  it("executes each batch entry once, with the stored results of the earlier attempt", async () => {
    const { body } = await halfBatch.send(next, 2);
    const ids = Object.values(body).map((each) => Object(Object(each).success).objectId);
    expect(ids).toHaveLength(3);
    for (const [i, className] of ["SlowAfter", "Quick", "SlowBefore"].entries()) {
      expect(await count(next, className, { of: "halfBatch" })).toBe(1);
      expect(await count(next, className, { objectId: ids[i] })).toBe(1);
    }
    expect((await halfBatch.send(next, 3)).body).toEqual(body);
  });

  it("executes a transaction once, with the results of all entries", async () => {
    const { body } = await transaction.send(next, 2);
    const ids = Object.values(body).map((each) => Object(Object(each).success).objectId);
    for (const [i, className] of ["SlowAfter", "Quick"].entries()) {
      expect(await count(next, className, { of: "transaction" })).toBe(1);
      expect(await count(next, className, { objectId: ids[i] })).toBe(1);
    }
  });

  it("never repeats a function that was running during a crash", async () => {
    const { body } = await call.send(next, 2);
    expect(body.code).toBe(159);
    expect(body.error).toContain("whose outcome is unknown");
    expect(await count(next, "Called", { by: "alone" })).toBe(1);
  });

  it("never repeats a function in a batch that was running during a crash", async () => {
    const { body } = await callInBatch.send(next, 2);
    const error = { code: 159, error: expect.stringContaining("whose outcome is unknown") };
    expect(body).toMatchObject([{ error }, { success: {} }]);
    expect(await count(next, "Called", { by: "batch" })).toBe(1);
    expect(await count(next, "Quick", { of: "callInBatch" })).toBe(1);
  });

  it("signs up once, and returns the session token that only the sender can decrypt", async () => {
    const id = randomUUID();
    const user = { username: `u${id}`, password: "correct horse" };
    const first = await send(next, id, "/users", user);
    expect(first.status).toBe(201);
    const again = await send(next, id, "/users", user, 2);
    expect(again).toEqual(first);
    const me = await rest(next, "GET", "/users/me", undefined, {
      sessionToken: String(again.body.sessionToken),
    });
    expect(me.status).toBe(200);
    const kept = JSON.stringify(await rowsOf(next, env));
    expect(kept).toContain("answer");
    expect(kept).not.toContain(String(first.body.sessionToken));
    expect(kept).not.toContain(id);
  });
});

if (NIGHTLY)
  describe("a request with an ID, sent to two processes on one PostgreSQL", () => {
    let one: Purse;
    let two: Purse;
    let env: Record<string, string>;

    beforeAll(async () => {
      env = { ...(await databaseEnv("PostgreSQL")), PURSE_CLOUD: CODE };
      [one, two] = await Promise.all([startPurse({ env: { ...env, STALL_MS: "1500" } }), hostPurse({ env })]);
    });
    afterAll(() => Promise.all([one?.remove(), two?.remove()]));

    it("is executed by one process and answered by the other", async () => {
      const id = randomUUID();
      const first = await send(one, id, "/classes/Quick", { n: 1 });
      expect(first.status).toBe(201);
      expect(await send(two, id, "/classes/Quick", { n: 1 }, 2)).toEqual(first);
      expect((await send(two, id, "/classes/Quick", { n: 1 })).body.code).toBe(159);
      expect((await send(two, id, "/classes/Quick", { n: 2 }, 2)).body.code).toBe(159);
      expect(await count(two, "Quick")).toBe(1);
    });

    it("waits on one process for the result of the other", async () => {
      const id = randomUUID();
      const before = (await rowsOf(two, env)).length;
      const first = send(one, id, "/classes/SlowBefore", { n: 1 });
      await expect.poll(async () => (await rowsOf(two, env)).length).toBeGreaterThan(before);
      const second = await send(two, id, "/classes/SlowBefore", { n: 1 }, 2);
      expect(second).toEqual(await first);
      expect(await count(two, "SlowBefore")).toBe(1);
    });
  });
