import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("classes that clients create on %s", (database) => {
  let purse: Purse;
  let existing: number;
  /** The responses to concurrent requests that create classes. */
  let made: Awaited<ReturnType<typeof rest>>[];
  const LIMIT = 40;
  beforeAll(async () => {
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_MAX_CLIENT_CLASSES: String(LIMIT),
        PURSE_MAX_CLIENT_FIELDS: "30",
      },
    });
    existing = await classes();
    made = await Promise.all(
      Array.from({ length: 60 }, (_, i) => rest(purse, "POST", `/classes/Made${i}`, { a: 1 })),
    );
  });
  afterAll(() => purse?.remove());

  const classes = async () => {
    const { body } = await rest(purse, "GET", "/schemas", undefined, MASTER);
    return Array.isArray(body.results) ? body.results.length : 0;
  };
  const FORBIDDEN = { code: 119, error: expect.stringContaining("clients can only create classes while") };

  /** Returns the result of a batch with one create. */
  async function batch(className: string, transaction: boolean): Promise<{ body: object }> {
    const requests = [{ method: "POST", path: `/server/classes/${className}`, body: { a: 1 } }];
    const { body } = await rest(purse, "POST", "/batch", { requests, transaction });
    if ("code" in body) return { body };
    const [{ error, success }] = Object.values(body).map(Object);
    return { body: error ?? success };
  }

  /** Requests that create a class by saving an object. */
  const CLASS_CREATORS: readonly (readonly [string, (className: string) => Promise<{ body: object }>])[] = [
    ["a create", (className) => rest(purse, "POST", `/classes/${className}`, { a: 1 })],
    [
      "an overridden method",
      (className) => rest(purse, "POST", `/classes/${className}?x=1`, { _method: "POST", a: 1 }),
    ],
    ["a batch", (className) => batch(className, false)],
    ["a transaction", (className) => batch(className, true)],
  ];

  it("are limited in number, also for concurrent requests", async () => {
    const refused = made.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body } of refused) expect(body).toMatchObject(FORBIDDEN);
    expect(await classes()).toBeGreaterThan(existing);
    expect(await classes()).toBeLessThanOrEqual(LIMIT);
  });

  it.each(CLASS_CREATORS)("are rejected by %s above the limit", async (_, make) => {
    const { body } = await make(`Further${randomUUID().slice(0, 8)}`);
    expect(body).toMatchObject(FORBIDDEN);
  });

  it("are rejected above the limit for signed-in users too, but not for the master key", async () => {
    const user = await signUp(purse);
    const refused = await rest(purse, "POST", "/classes/OfAUser", { a: 1 }, user);
    expect(refused.body).toMatchObject(FORBIDDEN);
    expect((await rest(purse, "POST", "/classes/OfTheOperator", { a: 1 }, MASTER)).status).toBe(201);
    expect(
      (await rest(purse, "POST", "/schemas/OfTheSchema", { className: "OfTheSchema" }, MASTER)).status,
    ).toBe(200);
    // Existing classes still accept objects.
    expect((await rest(purse, "POST", "/classes/OfTheOperator", { a: 2 }, user)).status).toBe(201);
  });

  it("reject new fields above the limit, except with the master key", async () => {
    const fields = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, i]));
    const path = "/classes/OfTheSchema";
    expect((await rest(purse, "POST", path, fields(0, 20))).status).toBe(201);
    const more = await rest(purse, "POST", path, fields(20, 20));
    expect(more.body).toMatchObject({ code: 119, error: expect.stringContaining("fields") });
    expect((await rest(purse, "POST", path, fields(0, 20))).status).toBe(201);
    expect((await rest(purse, "POST", path, fields(20, 20), MASTER)).status).toBe(201);
  });

  it("reject new fields above the limit in updates and sign-ups too", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`extra${i}`, i]));
    const made = await rest(purse, "POST", "/classes/OfTheOperator", { a: 1 });
    const updated = await rest(purse, "PUT", `/classes/OfTheOperator/${made.body.objectId}`, many);
    expect(updated.body.code).toBe(119);
    const signedUp = await rest(purse, "POST", "/users", {
      username: "many",
      password: "many many",
      ...many,
    });
    expect(signedUp.body.code).toBe(119);
    const device = { deviceType: "ios", installationId: "many", ...many };
    expect((await rest(purse, "POST", "/installations", device)).body.code).toBe(119);
  });
});
