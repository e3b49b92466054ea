import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { type AttackTarget, attack, READ_ONLY_KEY, TRANSPORTS, type Transport } from "../support/attempts.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import {
  GUESSES,
  HOLDERS_FUNCTION,
  holderClassOf,
  holderFields,
  pathByFunction,
  pointerTo,
  type ReadPath,
  readPaths,
  tryEach,
} from "../support/readPaths.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };
const SECRET = "needle-in-the-object";
const WRONG = "needle-nowhere";
const NUMBER = 4_242_424_242;
/** Matches what no response may contain, except for a guess that an error repeats. */
const TRACES = /needle-|4242424242/;

const EVERYONE = { "*": true };
const OPEN = {
  get: EVERYONE,
  find: EVERYONE,
  count: EVERYONE,
  create: EVERYONE,
  update: EVERYONE,
  delete: EVERYONE,
  addField: EVERYONE,
};

/** A class whose objects or fields are hidden from clients, although all clients may write them. */
interface GuardedClass {
  className: string;
  permissions: JsonObject;
  /** The ACL of its objects. */
  acl?: JsonObject;
}

const GUARDED_CLASSES: Record<string, GuardedClass> = {
  "class-level permissions": {
    className: "KeptByClass",
    permissions: { ...OPEN, get: {}, find: {}, count: {} },
  },
  "protected fields": {
    className: "KeptByField",
    permissions: { ...OPEN, protectedFields: { "*": ["secret", "n", "list", "box", "stamp"] } },
  },
  "pointer permissions of a class": {
    className: "KeptByPointer",
    permissions: { ...OPEN, get: {}, find: {}, count: {}, readUserFields: ["owner"] },
  },
  "pointer permissions of an operation": {
    className: "KeptByPointers",
    permissions: {
      ...OPEN,
      get: { pointerFields: ["owner"] },
      find: { pointerFields: ["owner"] },
      count: { pointerFields: ["owner"] },
    },
  },
  "an ACL": {
    className: "KeptByAcl",
    permissions: OPEN,
    acl: { someoneElse: { read: true }, "*": { write: true } },
  },
};

/** Updates whose responses could contain fields that they do not set. */
const UPDATES: [string, JsonObject][] = [
  ["Increment", { n: { __op: "Increment", amount: 0 } }],
  ["Increment of a nested field", { "box.zz": { __op: "Increment", amount: 0 } }],
  ["Increment of an existing nested field", { "box.n": { __op: "Increment", amount: 0 } }],
  ["Add", { list: { __op: "Add", objects: [] } }],
  ["AddUnique", { list: { __op: "AddUnique", objects: [] } }],
  ["AddUnique to a nested array", { "box.list": { __op: "AddUnique", objects: [] } }],
  ["Remove", { list: { __op: "Remove", objects: [] } }],
  ["Delete of another field", { other: { __op: "Delete" } }],
  ["Set of another field", { other: "text" }],
];

const WHO = ["an anonymous client", "a user"] as const;
const CLASS_NAMES = Object.values(GUARDED_CLASSES).map(({ className }) => className);

/**
 * The transports of a case of a class: each in turn, so that the classes together try each case by each transport. All of
 * them with `npm run test:all`.
 */
function transportsOf(className: string, position: number): readonly Transport[] {
  const turn = (CLASS_NAMES.indexOf(className) + position) % TRANSPORTS.length;
  return casesOf(TRANSPORTS, (_, i) => i === turn);
}

const CLOUD = `
for (const className of ${JSON.stringify(CLASS_NAMES)}) {
  Parse.Cloud.beforeSave(className, ({ object }) => object.set("stamp", ${JSON.stringify(SECRET)}));
}
${HOLDERS_FUNCTION}`;

describe.each(DATABASES)("hidden objects and fields on %s", (database) => {
  let purse: Purse;
  let attackTarget: AttackTarget & { sessionToken: string; userId: string };
  let studio: StudioClient;
  const objectIds = new Map<string, string>();
  const holderIds = new Map<string, string>();

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-guards-"));
    writeFileSync(join(folder, "cloud.mjs"), CLOUD);
    purse = await hostPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
        PURSE_CLOUD: join(folder, "cloud.mjs"),
        PURSE_ALLOW_PUBLIC_EXPLAIN: "0",
      },
    });
    attackTarget = await attack(purse);
    studio = await setUpStudio(purse);
    const owner = await signUp(purse);
    for (const guarded of Object.values(GUARDED_CLASSES)) await createGuardedObject(guarded, owner.id);
    for (const name of [SECRET, WRONG]) await rest(purse, "POST", `/classes/${GUESSES}`, { name }, MASTER);
  });
  afterAll(() => purse.remove());

  async function createGuardedObject(
    { className, permissions, acl }: GuardedClass,
    ownerId: string,
  ): Promise<void> {
    const fields = {
      secret: { type: "String" },
      n: { type: "Number" },
      list: { type: "Array" },
      box: { type: "Object" },
      stamp: { type: "String" },
      mood: { type: "String", defaultValue: "fine" },
      owner: { type: "Pointer", targetClass: "_User" },
    };
    const body = { className, fields, classLevelPermissions: permissions };
    expect((await rest(purse, "POST", `/schemas/${className}`, body, MASTER)).status).toBe(200);
    const object = {
      secret: SECRET,
      n: NUMBER,
      list: [SECRET],
      box: { pin: SECRET, n: NUMBER, list: [SECRET] },
      owner: pointerTo({ className: "_User", objectId: ownerId }),
      ...(acl && { ACL: acl }),
    };
    const made = await rest(purse, "POST", `/classes/${className}`, object, MASTER);
    expect([className, made.status]).toEqual([className, 201]);
    const objectId = String(made.body.objectId);
    objectIds.set(className, objectId);
    const target = { className, objectId, field: "secret" };
    const createdHolder = await rest(
      purse,
      "POST",
      `/classes/${holderClassOf(target)}`,
      holderFields(target),
      MASTER,
    );
    const holder = { className: holderClassOf(target), objectId: String(createdHolder.body.objectId) };
    holderIds.set(className, holder.objectId);
    await rest(
      purse,
      "PUT",
      `/classes/${holder.className}/${holder.objectId}`,
      { self: pointerTo(holder) },
      MASTER,
    );
  }

  const idIn = (className: string): string => objectIds.get(className) ?? "";

  describe.each(Object.entries(GUARDED_CLASSES))("protected by %s", (_name, guarded) => {
    const { className } = guarded;

    it.each(WHO)("are not revealed to %s on any path, not even whether a guess is right", async (who) => {
      const target = { className, objectId: idIn(className), field: "secret" };
      const holder = { className: holderClassOf(target), objectId: holderIds.get(className) ?? "" };
      const paths: ReadPath[] = [
        ...readPaths(target, holder),
        pathByFunction(holder, "ptr"),
        pathByFunction(holder, "list"),
      ];
      const leaks: string[] = [];
      // With `npm test`, each path is tried by one of them, in turn by class.
      const turn = CLASS_NAMES.indexOf(className) + WHO.indexOf(who);
      const answers = await tryEach(
        casesOf(paths, (_, i) => (i + turn) % 2 === 0),
        { right: SECRET, wrong: WRONG },
        (transport, attempt) => attackTarget.send(transport, who, attempt),
        (i) => transportsOf(className, i),
      );
      for (const { path, right, wrong } of answers) {
        if (TRACES.test(right.text + wrong.text)) leaks.push(`${path} shows it`);
        if (right.status !== wrong.status || right.text !== wrong.text) leaks.push(`${path} tells it`);
        if (right.status >= 500) leaks.push(`${path} fails`);
      }
      expect(leaks).toEqual([]);
    });

    it.each(UPDATES)("are omitted from the response to an update by %s", async (_op, params) => {
      const position = UPDATES.findIndex(([, each]) => each === params);
      for (const [i, who] of casesOf([...WHO.entries()], ([i]) => i === position % 2)) {
        for (const transport of transportsOf(className, position + i)) {
          const path = `/classes/${className}/${idIn(className)}`;
          const answer = await attackTarget.send(transport, who, {
            method: "PUT",
            path,
            params,
            codes: [],
          });
          expect([who, transport, answer.status, answer.text]).toEqual([
            who,
            transport,
            200,
            expect.not.stringMatching(TRACES),
          ]);
        }
      }
    });

    it("are omitted from the response to a create if a trigger sets them and its writer may not read them", async () => {
      for (const who of WHO) {
        for (const transport of transportsOf(className, WHO.indexOf(who))) {
          const params = { other: "text", ...(guarded.acl && { ACL: guarded.acl }) };
          const path = `/classes/${className}`;
          const answer = await attackTarget.send(transport, who, { method: "POST", path, params, codes: [] });
          expect([who, transport, answer.status < 300, answer.text]).toEqual([
            who,
            transport,
            true,
            expect.not.stringMatching(TRACES),
          ]);
          // Default values are those of an object that its writer may read.
          const { objectId, mood } = JSON.parse(answer.text);
          const found = await attackTarget.send(transport, who, {
            method: "GET",
            path: `${path}/${objectId}`,
            params: {},
            codes: [],
          });
          const isReadable = found.status < 300;
          expect([who, mood]).toEqual([who, isReadable ? "fine" : undefined]);
        }
      }
    });

    it("are in the response to an update with the master key", async () => {
      const params = { n: { __op: "Increment", amount: 0 }, "box.zz": { __op: "Increment", amount: 0 } };
      const path = `/classes/${className}/${idIn(className)}`;
      const { body } = await rest(purse, "PUT", path, params, MASTER);
      expect(body).toMatchObject({ n: NUMBER, box: { pin: SECRET }, stamp: SECRET });
    });

    it("are hidden in the studio's view as that user", async () => {
      const views = [
        `/data/${className}`,
        `/data/${className}/rows/${idIn(className)}`,
        `/data/${className}/count`,
        `/data/${className}/export`,
        `/data/${holderClassOf({ className })}`,
      ];
      for (const as of ["anonymous", attackTarget.userId]) {
        for (const view of views) {
          const { status, text } = await studio.request(
            "GET",
            `${view}${query({ as, include: "ptr,list" })}`,
          );
          expect([view, status < 500, text]).toEqual([view, true, expect.not.stringMatching(TRACES)]);
        }
      }
      const { text } = await studio.request("GET", `/data/${className}`);
      expect(text).toContain(SECRET);
    });

    it("are not revealed by live queries", async () => {
      const { sessionToken } = attackTarget;
      for (const credentials of [{}, { sessionToken }]) {
        const client = await connectLive(purse, credentials);
        const hidden = await client.subscribe(className, { secret: SECRET }, { requestId: 1 });
        const keyed = await client.subscribe(
          className,
          {},
          { requestId: 2, keys: ["secret", "n"], watch: ["n"] },
        );
        const path = `/classes/${className}/${idIn(className)}`;
        await rest(purse, "PUT", path, { n: { __op: "Increment", amount: 0 } }, MASTER);
        const touch = () => rest(purse, "PUT", path, { touched: randomUUID() }, MASTER);
        await client.receivedOps(className, touch);
        const all = JSON.stringify([hidden, keyed, client.received]);
        client.socket.terminate();
        expect(all).not.toMatch(TRACES);
        if (guarded.acl === undefined)
          expect([guarded.className, hidden.op]).toEqual([className, expectedFor(guarded)]);
      }
    });
  });

  it("are not counted in any way if class-level permissions deny count", async () => {
    const permissions = { ...OPEN, count: {} };
    await rest(purse, "POST", "/schemas/Uncounted", { classLevelPermissions: permissions }, MASTER);
    await rest(purse, "POST", "/classes/Uncounted", { n: 1 }, MASTER);
    for (const params of ["count=1", "count=1&limit=0", "count=1&limit=1"]) {
      const { body } = await rest(purse, "GET", `/classes/Uncounted?${params}`);
      expect([params, body.code]).toEqual([params, 119]);
    }
    expect((await rest(purse, "GET", "/classes/Uncounted")).body.results).toHaveLength(1);
  });

  /** Pointer permissions allow every query, and return only objects that point to the user. */
  function expectedFor({ permissions }: GuardedClass): string {
    const isPointed = "readUserFields" in permissions || "pointerFields" in Object(permissions.find);
    return isPointed ? "subscribed" : "error";
  }
});
