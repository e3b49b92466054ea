import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { type ClassSchema, openStore, type Store } from "@purse/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { type AttackTarget, attack, type Identity, READ_ONLY_KEY, TRANSPORTS } from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import {
  GUESSES,
  HOLDERS_FUNCTION,
  holderClassOf,
  holderFields,
  pathByFunction,
  pointerTo,
  type ReadPath,
  type ReadTarget,
  readPaths,
  tryEach,
} from "../support/readPaths.ts";

const MASTER = { useMasterKey: true };
/** The value of a field of each planted object. */
const PLANTED = "planted-in-the-object";
/** A value stored beside each planted object, like password hashes. */
const PLANTED_VALUE = "planted-beside-the-object";
const WRONG = "planted-nowhere";
/** Timeout in ms for thousands of requests on a busy machine. */
const LONG = 400_000;
const ROW = "plantedRow1";

/** Classes that clients can access within permissions and ACLs. */
const CLIENT_CLASSES = ["_EthAddress", "_Installation", "_Product", "_Role", "_Session", "_User"];

const WHO = ["an anonymous client", "a user"] as const;
const WAYS = TRANSPORTS.flatMap((transport) => WHO.map((who) => ({ transport, who })));

/** The items one after the other, from the first again after the last. */
function inTurn<T>(items: readonly T[], position: number): T {
  const item = items[position % items.length];
  if (item === undefined) throw new Error("There is no item.");
  return item;
}

describe.each(DATABASES)("system classes on %s", (database) => {
  let purse: Purse;
  let attackTarget: AttackTarget & { sessionToken: string };
  /** All classes that the server creates itself. */
  let systemClasses: string[] = [];
  /** System classes that clients cannot access. */
  const internal: string[] = [];
  /** System classes that the master keys cannot access either. */
  const unreachable: string[] = [];

  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "purse-internal-"));
    const cloud = join(dataDir, "cloud.mjs");
    writeFileSync(cloud, HOLDERS_FUNCTION);
    const env: Record<string, string> = {
      ...(await databaseEnv(database)),
      PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
      PURSE_CLOUD: cloud,
      // As in production, because a query plan reveals statistics of all rows.
      PURSE_ALLOW_PUBLIC_EXPLAIN: "0",
    };
    const first = await hostPurse({ dataDir, env });
    await first.stop();
    const store = await openStore(
      env.PURSE_DATABASE_URL === undefined
        ? { kind: "sqlite", path: join(dataDir, "purse.sqlite") }
        : { kind: "postgres", url: env.PURSE_DATABASE_URL, connections: 1 },
    );
    const schemas = (await store.loadClasses()).filter(({ className }) => className.startsWith("_"));
    systemClasses = schemas.map(({ className }) => className).sort();
    for (const schema of schemas) await insertObject(store, schema);
    await store.close();
    purse = await hostPurse({ dataDir, env });
    attackTarget = await attack(purse);
    for (const className of systemClasses) {
      const direct = await attackTarget.send("REST", "a user", {
        method: "GET",
        path: `/classes/${className}/${ROW}`,
        codes: [],
      });
      if (direct.code !== 101) internal.push(className);
      const shown = await rest(purse, "GET", `/classes/${className}/${ROW}`, undefined, MASTER);
      if (shown.status !== 200) unreachable.push(className);
    }
    for (const className of systemClasses) await createHolder(className);
    for (const name of [PLANTED, WRONG]) {
      await rest(purse, "POST", `/classes/${GUESSES}`, { name }, MASTER);
    }
  });
  afterAll(() => purse.remove());

  /** Stores an object in a class without any check. In classes that clients can access, its ACL is empty. */
  async function insertObject(store: Store, schema: ClassSchema): Promise<void> {
    const at = new Date().toISOString();
    const isPrivate = CLIENT_CLASSES.includes(schema.className);
    const object: JsonObject = {
      objectId: ROW,
      createdAt: at,
      updatedAt: at,
      planted: PLANTED,
      box: { planted: PLANTED },
      ...(isPrivate && { ACL: {} }),
    };
    await store.write([
      {
        kind: "create",
        schema,
        id: ROW,
        at,
        object,
        secret: { passwordHash: PLANTED_VALUE, authData: PLANTED_VALUE },
      },
    ]);
  }

  const holders = new Map<string, string>();

  /** Creates an object that points to the planted one, as the master key can and older data may. */
  async function createHolder(className: string): Promise<void> {
    const target = targetIn(className);
    const holderClass = holderClassOf(target);
    const made = await rest(purse, "POST", `/classes/${holderClass}`, holderFields(target), MASTER);
    expect([className, made.status]).toEqual([className, 201]);
    const objectId = String(made.body.objectId);
    holders.set(className, objectId);
    const self = pointerTo({ className: holderClass, objectId });
    await rest(purse, "PUT", `/classes/${holderClass}/${objectId}`, { self }, MASTER);
  }

  function targetIn(className: string): ReadTarget {
    return { className, objectId: ROW, field: "planted" };
  }

  function pathsTo(className: string): ReadPath[] {
    const target = targetIn(className);
    const holder = { className: holderClassOf(target), objectId: holders.get(className) ?? "" };
    const byFunction = ["ptr", "list", "box.p"].map((include) => pathByFunction(holder, include));
    return [...readPaths(target, holder), ...byFunction];
  }

  /**
   * Each path by each transport, and each class by each transport. All combinations would be 90,000 requests;
   * readGuards.server.test.ts tries them on five classes. With `npm test`, each path is tried on a third of the classes that
   * clients can access, and on a twelfth of the others.
   */
  const answersTo = (who: Identity, className: string) => {
    const position = systemClasses.indexOf(className);
    const paths = pathsTo(className);
    const turns = CLIENT_CLASSES.includes(className) ? 3 : 12;
    return tryEach(
      casesOf(paths, (_, i) => i % turns === position % turns),
      { right: PLANTED, wrong: WRONG },
      (transport, attempt) => attackTarget.send(transport, who, attempt),
      (i) => [inTurn(TRANSPORTS, Math.floor(position / 2) + i)],
    );
  };

  it("are directly accessible to clients only where clients use them", () => {
    expect(systemClasses.filter((className) => !internal.includes(className))).toEqual(CLIENT_CLASSES);
    expect(internal).toEqual(
      expect.arrayContaining(["_ApiKey", "_GlobalConfig", "_Hooks", "_JobStatus", "_PushStatus"]),
    );
    expect(unreachable).toEqual(systemClasses.filter((className) => className.startsWith("_Studio")));
  });

  it.each(WHO)(
    "reveal nothing about their objects to %s on any path, not even whether a guess is right",
    async (who) => {
      const leaks: string[] = [];
      for (const className of systemClasses) {
        for (const { path, right, wrong } of await answersTo(who, className)) {
          if (/planted-/.test(right.text + wrong.text)) leaks.push(`${path} of ${className} shows it`);
          if (right.status !== wrong.status || right.text !== wrong.text)
            leaks.push(`${path} of ${className} tells it`);
          if (right.status >= 500) leaks.push(`${path} of ${className} fails`);
        }
      }
      expect(leaks).toEqual([]);
    },
    LONG,
  );

  it(
    "reveal nothing to the read-only key on indirect paths that they hide on direct ones",
    async () => {
      const leaks: string[] = [];
      for (const className of systemClasses) {
        for (const { path, right, wrong } of await answersTo("the read-only key", className)) {
          const text = right.text + wrong.text;
          if (text.includes(PLANTED_VALUE))
            leaks.push(`${path} of ${className} shows what is kept beside the object`);
          if (!unreachable.includes(className)) continue;
          if (text.includes(PLANTED)) leaks.push(`${path} of ${className} shows it`);
          if (right.status !== wrong.status || right.text !== wrong.text)
            leaks.push(`${path} of ${className} tells it`);
        }
      }
      expect(leaks).toEqual([]);
    },
    LONG,
  );

  it.each(WHO)("cannot be subscribed to by %s", async (who) => {
    for (const className of casesOf(systemClasses, (_, i) => WHO[i % WHO.length] === who)) {
      const inner = { className, where: { planted: PLANTED } };
      const wheres: JsonValue[] = [{ ptr: { $inQuery: inner } }, { $or: [{ ptr: { $notInQuery: inner } }] }];
      for (const where of wheres) {
        const code = await attackTarget.subscribe(who, holderClassOf({ className }), where);
        expect([className, where, code]).toEqual([className, where, expect.any(Number)]);
      }
      if (!internal.includes(className)) continue;
      expect([className, await attackTarget.subscribe(who, className, {})]).toEqual([
        className,
        expect.any(Number),
      ]);
    }
  });

  it(
    "cannot be referenced by pointers of clients, at any depth and in any operation",
    async () => {
      const classes = [...internal, "_SCHEMA", "_Join:users:_Role"];
      for (const [c, className] of classes.entries()) {
        const pointer = { __type: "Pointer", className, objectId: ROW };
        const values: JsonValue[] = [
          pointer,
          [pointer],
          [[{ a: [pointer] }]],
          { p: pointer },
          { a: { b: [{ c: pointer }] } },
          { ...pointer, __type: "Object" },
          { __type: "Relation", className },
          { __op: "Add", objects: [pointer] },
          { __op: "AddUnique", objects: [[pointer]] },
          { __op: "AddRelation", objects: [pointer] },
          { __op: "Batch", ops: [{ __op: "AddRelation", objects: [pointer] }] },
        ];
        const { body } = await rest(purse, "POST", "/classes/Own", { o: {} });
        const object = `/classes/Own/${String(body.objectId)}`;
        for (const [i, value] of casesOf([...values.entries()], ([i]) => i % 4 === c % 4)) {
          // Each value by each transport and identity, in turn by class.
          const { transport, who } = inTurn(WAYS, Math.floor(c / 4) + i);
          const writes: [method: "POST" | "PUT", path: string, params: JsonObject][] = [
            ["POST", "/classes/Own", { [`field${i}`]: value }],
            ["PUT", object, { [`field${i}`]: value }],
          ];
          if (i <= 6) {
            writes.push(
              ["PUT", object, { "o.p": value }],
              [
                "POST",
                "/installations",
                { deviceType: "ios", installationId: `own-${className}`, channels: [value] },
              ],
            );
          }
          const refused = await Promise.all(
            writes.map(([method, path, params]) =>
              attackTarget.send(transport, who, { method, path, params, codes: [] }),
            ),
          );
          expect([className, i, transport, who, refused.map(({ code }) => code)]).toEqual([
            className,
            i,
            transport,
            who,
            refused.map(() => 119),
          ]);
        }
      }
    },
    LONG,
  );
});
