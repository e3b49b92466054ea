import { setTimeout as sleep } from "node:timers/promises";
import { LiveQuery, ParseObject, Query, type Subscription, start } from "@purse/client";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type BreakableProxy, startBreakableProxy } from "../support/breakableProxy.ts";
import { type ForeignServer, startParseServer } from "../support/parseServer.ts";

let server: ForeignServer;
let proxy: BreakableProxy;
let events: string[];

beforeAll(async () => {
  server = await startParseServer();
  proxy = await startBreakableProxy(() => Number(new URL(server.serverUrl).port));
  await start({
    serverUrl: `http://127.0.0.1:${proxy.port}/server`,
    appId: server.appId,
    masterKey: server.masterKey,
    plugins: [],
    // With short pauses.
    clock: { now: Date.now, random: () => 0.05, sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
  });
  // A class exists once it has an object.
  await new ParseObject("Note").save({ text: "first" });
});
afterAll(async () => {
  await proxy?.close();
  await server?.remove();
});
afterEach(() => LiveQuery.close());

async function subscribe(): Promise<Subscription> {
  events = [];
  const subscription = await new Query("Note").equalTo("done", false).subscribe();
  for (const event of ["create", "update", "delete", "leave", "enter"] as const) {
    subscription.on(event, (...[note]) => events.push(`${event} ${note.get("text")}`));
  }
  return subscription;
}

const waitForEvents = (texts: readonly string[]): Promise<unknown> =>
  vi.waitFor(() => expect(events).toEqual(texts), { timeout: 15_000 });

describe("a live query of Parse Server", () => {
  it("reports objects that are created, changed, leave, enter and are deleted", async () => {
    await subscribe();
    const note = await new ParseObject("Note").save({ text: "a", done: false });
    await waitForEvents(["create a"]);
    await note.save("text", "b");
    await waitForEvents(["create a", "update b"]);
    await note.save("done", true);
    await waitForEvents(["create a", "update b", "leave b"]);
    await note.save("done", false);
    await waitForEvents(["create a", "update b", "leave b", "enter b"]);
    await note.destroy();
    await waitForEvents(["create a", "update b", "leave b", "enter b", "delete b"]);
  });

  it("resubscribes after a lost connection is restored", async () => {
    const subscription = await subscribe();
    proxy.break();
    await vi.waitFor(() => expect(subscription.subscribed).toBe(false), { timeout: 15_000 });
    proxy.restore();
    await vi.waitFor(() => expect(subscription.subscribed).toBe(true), { timeout: 15_000 });
    const note = await new ParseObject("Note").save({ text: "later", done: false });
    await waitForEvents(["create later"]);
    await note.destroy();
  });

  it("reports no events after unsubscribe()", async () => {
    const subscription = await subscribe();
    await subscription.unsubscribe();
    await new ParseObject("Note").save({ text: "unheard", done: false });
    await subscribe();
    const heard = await new ParseObject("Note").save({ text: "heard", done: false });
    await waitForEvents(["create heard"]);
    await heard.destroy();
  });
});
