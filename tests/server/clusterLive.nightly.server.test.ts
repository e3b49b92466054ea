import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { type Purse, rest, signUp, startPurse } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

describe("live queries of two processes on one PostgreSQL", () => {
  let one: Purse;
  let two: Purse;
  let env: Record<string, string>;
  const open: LiveSocket[] = [];
  beforeAll(async () => {
    env = await databaseEnv("PostgreSQL");
    [one, two] = await Promise.all([startPurse({ env }), startPurse({ env })]);
  });
  afterAll(async () => {
    await Promise.all([one?.remove(), two?.remove()]);
  });
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });

  async function client(purse: Purse, sessionToken?: string): Promise<LiveSocket> {
    const made = await connectLive(purse, sessionToken === undefined ? {} : { sessionToken });
    open.push(made);
    return made;
  }
  const save = async (purse: Purse, className: string, fields: object, credentials = {}) =>
    String((await rest(purse, "POST", `/classes/${className}`, fields, credentials)).body.objectId);

  it("report changes of the other process, also for a new class", async () => {
    const atTwo = await client(two);
    await atTwo.subscribe("Shared");
    const id = await save(one, "Shared", { n: 1 });
    expect(await atTwo.next()).toMatchObject({ op: "create", object: { objectId: id, n: 1 } });
    await rest(one, "PUT", `/classes/Shared/${id}`, { n: 2 });
    expect(await atTwo.next()).toMatchObject({ op: "update", object: { n: 2 }, original: { n: 1 } });
    await rest(one, "DELETE", `/classes/Shared/${id}`);
    expect(await atTwo.next()).toMatchObject({ op: "delete", object: { objectId: id } });
  });

  it("report objects of any size", async () => {
    const atTwo = await client(two);
    await atTwo.subscribe("Large");
    await save(one, "Large", { text: "x".repeat(100_000) });
    expect(String((await atTwo.next()).object?.text)).toHaveLength(100_000);
  });

  it("report the same events in the same order to all, without loss or duplicates", async () => {
    const listeners = [await client(one), await client(two)];
    for (const { subscribe } of listeners) await subscribe("Race");
    const id = await save(one, "Race", { n: 0 });
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const purse = i % 2 ? one : two;
        return i % 4 < 2
          ? rest(purse, "PUT", `/classes/Race/${id}`, { n: { __op: "Increment", amount: 1 } })
          : save(purse, "Race", { i });
      }),
    );
    const delivered = await Promise.all(
      listeners.map(async ({ received: delivered }) => {
        await expect.poll(() => delivered.length).toBe(101);
        return delivered.map(({ op, position, object }) => [op, position, object?.objectId]);
      }),
    );
    expect(delivered[0]).toEqual(delivered[1]);
    const counts = (listeners[0]?.received ?? [])
      .filter(({ op }) => op === "update")
      .map(({ object }) => object?.n);
    expect(counts).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it("resume on the other process after a crash with the missed events", async () => {
    const dying = await startPurse({ env });
    const first = await client(dying);
    const { binding } = await first.subscribe("Moved");
    await save(one, "Moved", { n: 1 });
    const { position } = await first.next();
    await dying.kill();
    await save(one, "Moved", { n: 2 });
    await save(two, "Moved", { n: 3 });
    const second = await client(two);
    await second.subscribe("Moved", {}, { resumeFrom: position, binding });
    await save(one, "Moved", { n: 4 });
    const events = [await second.next(), await second.next(), await second.next()];
    expect(events.map(({ object }) => object?.n)).toEqual([2, 3, 4]);
    await dying.remove();
  });

  it("report a write whose process crashed before dispatching it", async () => {
    const dying = await startPurse({ env });
    const atTwo = await client(two);
    await atTwo.subscribe("Last");
    const writes = Array.from({ length: 30 }, (_, n) => save(dying, "Last", { n }));
    const answers = Promise.allSettled(writes);
    await Promise.race(writes);
    await dying.kill();
    await answers;
    const { body } = await rest(one, "GET", "/classes/Last?count=1&limit=0");
    await expect.poll(() => atTwo.received.length).toBe(body.count);
    await dying.remove();
  });

  it("stop events when a role or session ends in the other process", async () => {
    const eve = await signUp(one);
    const user = { __type: "Pointer", className: "_User", objectId: eve.id };
    const users = (op: string) => ({ users: { __op: op, objects: [user] } });
    const role = await rest(
      one,
      "POST",
      "/roles",
      { name: "guests", ACL: {}, ...users("AddRelation") },
      MASTER,
    );
    const forEve = await client(two, eve.sessionToken);
    await forEve.subscribe("Guestbook");
    const entry = { ACL: { "role:guests": { read: true } } };
    await save(one, "Guestbook", entry, MASTER);
    expect(await forEve.next()).toMatchObject({ op: "create" });
    await rest(one, "PUT", `/roles/${role.body.objectId}`, users("RemoveRelation"), MASTER);
    await save(one, "Guestbook", entry, MASTER);
    expect(await forEve.receivedOps("Guestbook")).toEqual([]);
    await rest(one, "POST", "/logout", {}, { sessionToken: eve.sessionToken });
    expect(await forEve.next()).toMatchObject({ op: "error", code: 209 });
  });

  it("do not report operations on a whole class object by object", async () => {
    const atTwo = await client(two);
    await atTwo.subscribe("Purged");
    await save(one, "Purged", { n: 1 });
    await atTwo.next();
    expect((await rest(one, "DELETE", "/purge/Purged", undefined, MASTER)).status).toBe(200);
    expect(await atTwo.receivedOps("Purged")).toEqual([]);
  });
});
