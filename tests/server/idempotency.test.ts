import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import Database from "better-sqlite3";
import postgres from "postgres";
import { afterEach, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Purse, query, rest, startPurse } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/slow.ts");
const MASTER = { useMasterKey: true };
const STALL_MS = "60000";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Sent {
  status: number;
  body: JsonObject;
}

/** Sends a request with an id; `attempt` as clients that had no answer before say it. */
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

/** What the database holds of requests with ids. */
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

describe.each(DATABASES)("a request with an id on %s", (database) => {
  async function start(
    env: Record<string, string>,
    more: Record<string, string> = {},
    dataDir?: string,
  ): Promise<Purse> {
    const purse = await startPurse({
      env: { ...env, PURSE_CLOUD: CODE, ...more },
      ...(dataDir && { dataDir }),
    });
    ends.push(() => purse.remove());
    return purse;
  }

  /** Ends a server amid a request, when `isReached`, and answers the one that comes after it. */
  async function diesDuring(
    request: (purse: Purse) => Promise<Sent>,
    isReached: (purse: Purse, env: Record<string, string>) => Promise<boolean>,
  ): Promise<Purse> {
    const env = await databaseEnv(database);
    const dying = await start(env, { STALL_MS });
    const lost = request(dying).catch(() => undefined);
    await expect.poll(() => isReached(dying, env), { timeout: 20_000 }).toBe(true);
    await dying.kill();
    await lost;
    return start(env, {}, dying.dataDir);
  }

  it("that died before its write is carried out once when it is sent again", async () => {
    const id = randomUUID();
    const save = (attempt: number) => (purse: Purse) =>
      send(purse, id, "/classes/SlowBefore", { n: 1 }, attempt);
    // It waits in its trigger: it has been begun, and nothing is written.
    const next = await diesDuring(save(1), async (purse, env) => (await rowsOf(purse, env)).length > 0);
    const again = await save(1)(next);
    expect(again.status).toBe(201);
    expect(await save(2)(next)).toEqual(again);
    expect(await count(next, "SlowBefore")).toBe(1);
  });

  it("that died after its write gets the answer of that write, and is not carried out again", async () => {
    const id = randomUUID();
    const save = (attempt: number) => (purse: Purse) =>
      send(purse, id, "/classes/SlowAfter", { n: 1 }, attempt);
    const next = await diesDuring(save(1), async (purse) => (await count(purse, "SlowAfter")) === 1);
    const again = await save(2)(next);
    expect(again.status).toBe(201);
    const { body } = await rest(next, "GET", "/classes/SlowAfter");
    expect(body.results).toMatchObject([{ objectId: again.body.objectId, createdAt: again.body.createdAt }]);
    expect((await save(1)(next)).body.code).toBe(159);
  });

  it("counts once and is told the sum that it made, though others have counted since", async () => {
    const env = await databaseEnv(database);
    const setUp = await start(env);
    const { body } = await rest(setUp, "POST", "/classes/SlowAfter", { n: 5 });
    await setUp.kill();
    const id = randomUUID();
    const path = `/classes/SlowAfter/${body.objectId}`;
    const add = (purse: Purse, attempt: number) =>
      send(purse, id, path, { n: { __op: "Increment", amount: 2 } }, attempt, "PUT");
    const dying = await start(env, { STALL_MS }, setUp.dataDir);
    const lost = add(dying, 1).catch(() => undefined);
    await expect.poll(async () => (await rest(dying, "GET", path)).body.n, { timeout: 20_000 }).toBe(7);
    await dying.kill();
    await lost;
    const next = await start(env, {}, setUp.dataDir);
    await rest(next, "PUT", path, { n: { __op: "Increment", amount: 10 } });
    expect((await add(next, 2)).body.n).toBe(7);
    expect((await rest(next, "GET", path)).body.n).toBe(17);
  });

  it("carries out each part of a batch once, with the answers of those that were carried out before", async () => {
    const id = randomUUID();
    const requests = ["SlowAfter", "Quick", "SlowBefore"].map((className) => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: { n: 1 },
    }));
    const batch = (attempt: number) => (purse: Purse) => send(purse, id, "/batch", { requests }, attempt);
    const isHalf = async (purse: Purse) =>
      (await count(purse, "SlowAfter")) === 1 && (await count(purse, "Quick")) === 1;
    const next = await diesDuring(batch(1), isHalf);
    const { body } = await batch(2)(next);
    const ids = Object.values(body).map((each) => Object(Object(each).success).objectId);
    expect(ids).toHaveLength(3);
    for (const [i, className] of ["SlowAfter", "Quick", "SlowBefore"].entries()) {
      expect(await count(next, className)).toBe(1);
      expect(await count(next, className, { objectId: ids[i] })).toBe(1);
    }
    expect((await batch(3)(next)).body).toEqual(body);
  });

  it("carries out a transaction once, with the answers of all its parts", async () => {
    const id = randomUUID();
    const requests = ["SlowAfter", "Quick"].map((className) => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: { n: 1 },
    }));
    const batch = (attempt: number) => (purse: Purse) =>
      send(purse, id, "/batch", { requests, transaction: true }, attempt);
    const next = await diesDuring(batch(1), async (purse) => (await count(purse, "Quick")) === 1);
    const { body } = await batch(2)(next);
    const ids = Object.values(body).map((each) => Object(Object(each).success).objectId);
    for (const [i, className] of ["SlowAfter", "Quick"].entries()) {
      expect(await count(next, className)).toBe(1);
      expect(await count(next, className, { objectId: ids[i] })).toBe(1);
    }
  });

  it("never runs a function again that was running when its process died", async () => {
    const id = randomUUID();
    const call = (attempt: number) => (purse: Purse) => send(purse, id, "/functions/slow", {}, attempt);
    const next = await diesDuring(call(1), async (purse) => (await count(purse, "Called")) === 1);
    const { body } = await call(2)(next);
    expect(body.code).toBe(159);
    expect(body.error).toContain("whether it did is not known");
    expect(await count(next, "Called")).toBe(1);
  });

  it("signs up once, and answers the session token that only who knows the id can read", async () => {
    const env = await databaseEnv(database);
    const purse = await start(env);
    const id = randomUUID();
    const user = { username: `u${id}`, password: "correct horse" };
    const first = await send(purse, id, "/users", user);
    expect(first.status).toBe(201);
    const again = await send(purse, id, "/users", user, 2);
    expect(again).toEqual(first);
    const me = await rest(purse, "GET", "/users/me", undefined, {
      sessionToken: String(again.body.sessionToken),
    });
    expect(me.status).toBe(200);
    const kept = JSON.stringify(await rowsOf(purse, env));
    expect(kept).toContain("answer");
    expect(kept).not.toContain(String(first.body.sessionToken));
    expect(kept).not.toContain(id);
  });
});

describe("a request with an id, at two processes on one PostgreSQL", () => {
  async function startTwo(): Promise<[Purse, Purse]> {
    const env = { ...(await databaseEnv("PostgreSQL")), PURSE_CLOUD: CODE };
    const two = await Promise.all([startPurse({ env: { ...env, STALL_MS: "1500" } }), startPurse({ env })]);
    ends.push(() => Promise.all(two.map((purse) => purse.remove())));
    return two;
  }

  it("is carried out by one, and answered by the other", async () => {
    const [one, two] = await startTwo();
    const id = randomUUID();
    const first = await send(one, id, "/classes/Quick", { n: 1 });
    expect(first.status).toBe(201);
    expect(await send(two, id, "/classes/Quick", { n: 1 }, 2)).toEqual(first);
    expect((await send(two, id, "/classes/Quick", { n: 1 })).body.code).toBe(159);
    expect((await send(two, id, "/classes/Quick", { n: 2 }, 2)).body.code).toBe(159);
    expect(await count(two, "Quick")).toBe(1);
  });

  it("waits at the other for what the one is about to answer", async () => {
    const [one, two] = await startTwo();
    const id = randomUUID();
    const first = send(one, id, "/classes/SlowBefore", { n: 1 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const second = await send(two, id, "/classes/SlowBefore", { n: 1 }, 2);
    expect(second).toEqual(await first);
    expect(await count(two, "SlowBefore")).toBe(1);
  });
});
