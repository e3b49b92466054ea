import { setTimeout as sleep } from "node:timers/promises";
import { LiveQuery, ParseError, Query, type Subscription, start } from "@purse/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { type BreakableProxy, startBreakableProxy } from "../support/breakableProxy.ts";
import { type PurseProcess, rest, signUp, startPurse } from "../support/purse.ts";

let purse: PurseProcess;
let proxy: BreakableProxy;
let events: string[];
let interruptions = 0;

beforeAll(async () => {
  purse = await startPurse();
  proxy = await startBreakableProxy(() => purse.port);
  // A class exists and is publicly readable once it has an object.
  await create("first");
});
afterAll(async () => {
  await proxy?.close();
  await purse?.remove();
});
beforeEach(async () => {
  events = [];
  interruptions = 0;
  await start({
    serverUrl: `http://127.0.0.1:${proxy.port}/server`,
    appId: purse.appId,
    plugins: [],
    // With short pauses.
    clock: { now: Date.now, random: () => 0.05, sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
  });
});
afterEach(() => LiveQuery.close());

async function create(text: string, more: object = {}): Promise<string> {
  const { body } = await rest(purse, "POST", "/classes/Note", { text, ...more }, { useMasterKey: true });
  return String(body.objectId);
}

async function subscribe(sessionToken?: string): Promise<Subscription> {
  const subscription = await new Query("Note").exists("text").subscribe(sessionToken);
  for (const event of ["create", "update", "delete", "leave", "enter"] as const) {
    // Of an object that was deleted meanwhile, only the id is known.
    subscription.on(event, (...[note]) => events.push(`${event} ${note.get("text") ?? note.id}`));
  }
  subscription.on("refetch", () => events.push("refetch"));
  subscription.on("error", (error) => events.push(`error ${error instanceof ParseError && error.code}`));
  subscription.on("close", () => {
    interruptions += 1;
  });
  return subscription;
}

function waitForEvents(texts: readonly string[]): Promise<unknown> {
  return vi.waitFor(() => expect(events).toEqual(texts), { timeout: 15_000 });
}

const waitForState = (state: string): Promise<unknown> =>
  vi.waitFor(() => expect(LiveQuery.state).toBe(state), { timeout: 15_000 });

describe("a live query whose connection is interrupted", () => {
  it("receives missed events once and in order, and then new events", async () => {
    await subscribe();
    const states: unknown[] = [];
    const stop = LiveQuery.on("state", (state) => states.push(state));
    const id = await create("a");
    await waitForEvents(["create a"]);
    proxy.break();
    await waitForState("reconnecting");
    await create("b");
    await rest(purse, "PUT", `/classes/Note/${id}`, { text: "A" }, { useMasterKey: true });
    await rest(purse, "DELETE", `/classes/Note/${id}`, undefined, { useMasterKey: true });
    proxy.restore();
    await waitForEvents(["create a", "create b", `delete ${id}`]);
    await create("c");
    await waitForEvents(["create a", "create b", `delete ${id}`, "create c"]);
    stop();
    expect(states).toEqual(["reconnecting", "open"]);
    expect(interruptions).toBe(1);
  });

  it("loses and repeats no event over repeated interruptions", async () => {
    await subscribe();
    const expected: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      for (let n = 0; n < 5; n += 1) {
        const text = `${round}.${n}`;
        expected.push(`create ${text}`);
        if (n === round % 5) proxy.cut();
        await create(text);
      }
      await vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(expected.length - 5), 15_000);
    }
    await waitForEvents(expected);
  });

  if (NIGHTLY)
    it("emits refetch when the server no longer has its position, and continues", async () => {
      await subscribe();
      await create("a");
      await waitForEvents(["create a"]);
      await purse.kill();
      await waitForState("reconnecting");
      purse = await startPurse({ dataDir: purse.dataDir, port: purse.port });
      await waitForEvents(["create a", "refetch"]);
      await create("b");
      await waitForEvents(["create a", "refetch", "create b"]);
    });

  it("does not reconnect after unsubscribe()", async () => {
    const subscription = await subscribe();
    const other: string[] = [];
    const second = await new Query("Note").subscribe();
    second.on("create", (note) => other.push(note.get("text") as string));
    proxy.break();
    await waitForState("reconnecting");
    await subscription.unsubscribe();
    proxy.restore();
    await waitForState("open");
    await create("a");
    await vi.waitFor(() => expect(other).toEqual(["a"]));
    expect(events).toEqual([]);
  });
});

describe("a live query of a session", () => {
  it("ends with an error when the session ends, while other queries continue", async () => {
    const { sessionToken } = await signUp(purse);
    await subscribe(sessionToken);
    const everybody: unknown[] = [];
    (await new Query("Note").subscribe()).on("create", (note) => everybody.push(note.get("text")));
    await rest(purse, "POST", "/logout", {}, { sessionToken });
    await waitForEvents(["error 209"]);
    expect(interruptions).toBe(1);
    await create("a");
    await vi.waitFor(() => expect(everybody).toEqual(["a"]));
    expect(events).toEqual(["error 209"]);
  });

  it("reports only objects that the user may read", async () => {
    const { id, sessionToken } = await signUp(purse);
    await subscribe(sessionToken);
    await create("others'", { ACL: { nobody: { read: true } } });
    await create("mine", { ACL: { [id]: { read: true } } });
    await waitForEvents(["create mine"]);
  });

  it("is rejected with 209 for an invalid session token", async () => {
    await expect(subscribe("r:nobody")).rejects.toMatchObject({ code: 209 });
  });
});
