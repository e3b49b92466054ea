import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive, type LiveSocket, openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const CODE = `
  Parse.Cloud.beforeConnect(({ user, sessionToken }) => {
    if (user && user.get("banned")) throw "go away";
    if (sessionToken === "worn out") throw "get another one";
  });
  Parse.Cloud.beforeSubscribe("Task", ({ query, user }) => {
    if (!user) throw new Parse.Error(101, "sign in first");
    query.equalTo("owner", user.id);
  });
  Parse.Cloud.afterLiveQueryEvent("Task", (request) => {
    if (request.object.get("quiet")) request.sendEvent = false;
    if (request.object.get("broken")) throw "broken";
    request.object.set("seen", request.event + (request.original ? " after " + request.original.get("n") : ""));
  });
`;

describe.each(DATABASES)("live query triggers on %s", (database) => {
  let purse: Purse;
  let folder: string;
  const open: LiveSocket[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "purse-cloud-"));
    writeFileSync(join(folder, "main.mjs"), CODE);
    const env = { ...(await databaseEnv(database)), PURSE_CLOUD: join(folder, "main.mjs") };
    purse = await hostPurse({ env });
  });
  afterAll(async () => {
    await purse?.remove();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });

  async function client(sessionToken?: string): Promise<LiveSocket> {
    const made = await connectLive(purse, sessionToken === undefined ? {} : { sessionToken });
    open.push(made);
    return made;
  }
  const save = (fields: object) => rest(purse, "POST", "/classes/Task", fields);

  it("beforeConnect can reject a connection, which is then closed", async () => {
    const { sessionToken } = await signUp(purse, { banned: true });
    const socket = await openSocket(purse);
    const answer = await socket.request({ op: "connect", applicationId: purse.appId, sessionToken });
    expect(answer).toMatchObject({ op: "error", error: "go away" });
    expect((await socket.closed).code).toBe(1008);
  });

  it("beforeConnect receives the session token, even an invalid one", async () => {
    const ask = async (sessionToken: string) =>
      (await openSocket(purse)).request({ op: "connect", applicationId: purse.appId, sessionToken });
    expect(await ask("worn out")).toMatchObject({ op: "error", code: 141, error: "get another one" });
    expect(await ask("r:none")).toMatchObject({ op: "error", code: 209 });
  });

  it("beforeSubscribe can reject a subscription", async () => {
    const { subscribe } = await client();
    expect(await subscribe("Task")).toMatchObject({ op: "error", code: 101, error: "sign in first" });
    expect(await subscribe("Other")).toMatchObject({ op: "subscribed" });
  });

  it("beforeSubscribe can restrict the query", async () => {
    const ann = await signUp(purse);
    const { subscribe, next } = await client(ann.sessionToken);
    await subscribe("Task", { n: { $gt: 0 } });
    await save({ n: 1, owner: "somebody" });
    await save({ n: 0, owner: ann.id });
    await save({ n: 1, owner: ann.id });
    expect(await next()).toMatchObject({ op: "create", object: { owner: ann.id, n: 1 } });
    await save({ n: 2, owner: ann.id });
    expect(await next()).toMatchObject({ op: "create", object: { owner: ann.id, n: 2 } });
  });

  it("afterLiveQueryEvent can change or omit an event, and may throw", async () => {
    const ann = await signUp(purse);
    const { subscribe, next } = await client(ann.sessionToken);
    await subscribe("Task");
    const owner = ann.id;
    const { body } = await save({ owner, n: 1 });
    expect(await next()).toMatchObject({ op: "create", object: { n: 1, seen: "create" } });
    await save({ owner, quiet: true });
    await save({ owner, broken: true });
    expect(await next()).toMatchObject({ op: "error", code: 141, error: "broken", requestId: 1 });
    await rest(purse, "PUT", `/classes/Task/${body.objectId}`, { n: 2 });
    expect(await next()).toMatchObject({
      op: "update",
      object: { className: "Task", n: 2, seen: "update after 1" },
      original: { n: 1 },
    });
  });
});
