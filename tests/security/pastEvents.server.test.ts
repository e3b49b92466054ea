import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ALL_DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveMessage, type LiveSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

type User = Awaited<ReturnType<typeof signUp>>;

/** Whether objects, roles and pointers are readable is judged when missed events are read, not when they happened. */
describe.each(ALL_DATABASES)("events of the past on %s", (database) => {
  let purse: Purse;
  let owner: User;
  let other: User;
  const open: LiveSocket[] = [];

  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    owner = await signUp(purse);
    other = await signUp(purse);
  });
  afterAll(() => purse?.remove());
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });

  async function client(user?: User): Promise<LiveSocket> {
    const made = await connectLive(purse, user && { sessionToken: user.sessionToken });
    open.push(made);
    return made;
  }
  async function create(className: string, fields: object): Promise<string> {
    const { body } = await rest(purse, "POST", `/classes/${className}`, fields, owner);
    return String(body.objectId);
  }
  const update = (className: string, id: string, fields: object) =>
    rest(purse, "PUT", `/classes/${className}/${id}`, fields, owner);
  const PRIVATE = () => ({ [owner.id]: { read: true, write: true } });

  /** Writes an object that is hidden later, one that is deleted, and one that stays. */
  async function writeHistory(className: string): Promise<{ hidden: string; deleted: string }> {
    const hidden = await create(className, { text: "draft with a phone number" });
    await update(className, hidden, { text: "second text" });
    await update(className, hidden, { ACL: PRIVATE() });
    const deleted = await create(className, { text: "deleted text" });
    await rest(purse, "DELETE", `/classes/${className}/${deleted}`, undefined, owner);
    await create(className, { text: "public text" });
    return { hidden, deleted };
  }
  const contentOf = ({ op, object, original }: LiveMessage) => [op, object?.text, original?.text];

  it.each<[string, (subscribed: LiveMessage) => object]>([
    ["the first position", ({ position = "" }) => ({ resumeFrom: position.replace(/\d+$/, "0") })],
    [
      "the first position and the binding of its own subscription",
      ({ position = "", binding }) => ({ resumeFrom: position.replace(/\d+$/, "0"), binding }),
    ],
    ["its own position without the binding", ({ position }) => ({ resumeFrom: position })],
  ])("are not told to a stranger with %s", async (_, resumeOf) => {
    const follower = await client(owner);
    await follower.subscribe("Draft");
    await writeHistory("Draft");
    const stranger = await client();
    const subscribed = await stranger.subscribe("Draft");
    const again = await client();
    await again.subscribe("Draft", {}, resumeOf(subscribed));
    expect(await again.next()).toMatchObject({ op: "refetch" });
    expect(await again.receivedOps("Draft")).toEqual([]);
  });

  it("are not told to another user with the position and the binding of the first one", async () => {
    const before = await client(owner);
    const { position, binding } = await before.subscribe("Note");
    await writeHistory("Note");
    const stranger = await client(other);
    await stranger.subscribe("Note", {}, { resumeFrom: position, binding });
    expect(await stranger.next()).toMatchObject({ op: "refetch" });
    expect(await stranger.receivedOps("Note")).toEqual([]);
  });

  it("do not tell a returning client what is hidden or deleted by now", async () => {
    const before = await client(other);
    const { position, binding } = await before.subscribe("Page");
    before.socket.terminate();
    const { hidden, deleted } = await writeHistory("Page");
    const back = await client(other);
    await back.subscribe("Page", {}, { resumeFrom: position, binding });
    const events = [await back.next(), await back.next(), await back.next()];
    expect(events.map(contentOf)).toEqual([
      ["leave", undefined, undefined],
      ["delete", undefined, undefined],
      ["create", "public text", undefined],
    ]);
    expect(events.map(({ object }) => object?.objectId).slice(0, 2)).toEqual([hidden, deleted]);
    for (const { object } of events.slice(0, 2))
      expect(Object.keys(object ?? {})).toEqual(["className", "objectId"]);
  });

  it("tell a returning client what it may still read, as its owner", async () => {
    const before = await client(owner);
    const { position, binding } = await before.subscribe("Diary");
    before.socket.terminate();
    await writeHistory("Diary");
    const back = await client(owner);
    await back.subscribe("Diary", {}, { resumeFrom: position, binding });
    const events: LiveMessage[] = [];
    for (let n = 0; n < 5; n++) events.push(await back.next());
    expect(events.map(contentOf)).toEqual([
      ["create", "draft with a phone number", undefined],
      ["update", "second text", "draft with a phone number"],
      ["update", "second text", "second text"],
      ["delete", undefined, undefined],
      ["create", "public text", undefined],
    ]);
  });

  it("do not tell a user of objects that no longer point to it", async () => {
    const pointer = (objectId: string) => ({ __type: "Pointer", className: "_User", objectId });
    const classLevelPermissions = {
      find: { pointerFields: ["reader"] },
      get: { pointerFields: ["reader"] },
      create: { "*": true },
      update: { "*": true },
    };
    const fields = { reader: { type: "Pointer", targetClass: "_User" }, text: { type: "String" } };
    await rest(purse, "POST", "/schemas/Letter", { fields, classLevelPermissions }, { useMasterKey: true });
    const before = await client(other);
    const { position, binding } = await before.subscribe("Letter");
    before.socket.terminate();
    const id = await create("Letter", { text: "for your eyes", reader: pointer(other.id) });
    await update("Letter", id, { reader: pointer(owner.id) });
    const back = await client(other);
    await back.subscribe("Letter", {}, { resumeFrom: position, binding });
    expect(contentOf(await back.next())).toEqual(["leave", undefined, undefined]);
    expect(back.received).toEqual([]);
  });
});
