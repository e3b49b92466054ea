import {
  configure,
  connection,
  enableLocalDatastore,
  installationId,
  memoryStorage,
  ParseObject,
  Query,
  start,
  User,
} from "@purse/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BreakableProxy, startBreakableProxy } from "../support/breakableProxy.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

let purse: Purse;
let proxy: BreakableProxy;
const storage = memoryStorage();

beforeAll(async () => {
  purse = await hostPurse();
  proxy = await startBreakableProxy(() => purse.port);
});
afterAll(async () => {
  configure({ local: undefined, idempotency: false });
  await proxy?.close();
  await purse?.remove();
});
beforeEach(async () => {
  proxy.restore();
  await reopen();
});

/** Simulates reopening the application: only the content of the storage remains. */
async function reopen(): Promise<void> {
  configure({ local: undefined });
  await start({
    serverUrl: `http://127.0.0.1:${proxy.port}/server`,
    appId: purse.appId,
    plugins: [],
    storage,
    tracksCurrentUser: true,
  });
  enableLocalDatastore();
}

async function storedDrafts(text: string): Promise<unknown[]> {
  const { body } = await rest(purse, "GET", `/classes/Draft${query({ where: { text } })}`, undefined, {
    useMasterKey: true,
  });
  return Array.isArray(body.results) ? body.results : [];
}

describe("an application that is offline", () => {
  it("reads pinned objects, queues writes and sends them later", async () => {
    await User.signUp(`ada${Date.now()}`, "correct horse");
    const author = await new ParseObject("Author", { name: "Ada" }).save();
    const draft = await new ParseObject("Draft", { text: "one", n: 1, author }).save();
    await draft.pin();

    proxy.break();
    await reopen();
    expect(User.current()?.getSessionToken()).toMatch(/^r:/);
    const [kept] = await new Query("Draft")
      .matchesQuery("author", new Query("Author").equalTo("name", "Ada"))
      .fromPin()
      .find();
    kept?.set("text", "two");
    kept?.increment("n");
    await expect(kept?.save()).rejects.toMatchObject({
      code: 100,
      message: 'XMLHttpRequest failed: "Unable to connect to the Parse API"',
    });
    await kept?.pin();
    await new ParseObject("Draft", { text: "new", author }).pin();

    await reopen();
    proxy.restore();
    const drafts = await new Query("Draft").fromPin().ascending("text").find();
    expect(drafts.map((each) => each.get("text"))).toEqual(["new", "two"]);
    await ParseObject.saveAll(drafts);
    expect(await storedDrafts("two")).toMatchObject([{ objectId: draft.id, n: 2 }]);
    expect(await storedDrafts("new")).toMatchObject([{ author: { objectId: author.id } }]);
    const pinned = await new Query("Draft").fromPin().find();
    expect(pinned.map((each) => [each.isNew(), each.dirty()])).toEqual([
      [false, false],
      [false, false],
    ]);
    await ParseObject.destroyAll(pinned);
    expect(await new Query("Draft").fromPin().count()).toBe(0);
  });

  it("keeps its installation ID when it is reopened", async () => {
    const id = await installationId();
    await reopen();
    expect(await installationId()).toBe(id);
    expect(await connection().storage.area.getItem(`Parse/${purse.appId}/installationId`)).toBe(id);
  });
});

describe("a request whose response is lost", () => {
  it("is executed once with idempotency enabled, however often it is sent", {
    tags: ["9.retry.status-0"],
  }, async () => {
    configure({ idempotency: true });
    proxy.dropNextResponse();
    const saved = await new ParseObject("Draft", { text: "once" }).save();
    expect(await storedDrafts("once")).toMatchObject([{ objectId: saved.id }]);
    configure({ idempotency: false });
  });

  it("is retried until the server is back", { tags: ["9.retry.http-5xx"] }, async () => {
    await purse.stop();
    const restarted = hostPurse({ dataDir: purse.dataDir, port: purse.port });
    // Pauses long enough for a server to start.
    await start({
      serverUrl: `http://127.0.0.1:${proxy.port}/server`,
      appId: purse.appId,
      plugins: [],
      storage,
      clock: {
        now: Date.now,
        random: () => 1,
        sleep: async () => {
          purse = await restarted;
        },
      },
    });
    await new ParseObject("Draft", { text: "patient" }).save();
    expect(await storedDrafts("patient")).toHaveLength(1);
  });
});
