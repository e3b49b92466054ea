import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/platform.mjs");
const MASTER = { useMasterKey: true };

describe.each(DATABASES)("platform cloud code on %s", (database) => {
  let purse: Purse;
  let owner: Awaited<ReturnType<typeof signUp>>;
  beforeAll(async () => {
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), PURSE_CLOUD: CODE } });
    owner = await signUp(purse);
  });
  afterAll(() => purse?.remove());

  const call = async (name: string, params: object = {}, credentials = {}) =>
    (await rest(purse, "POST", `/functions/${name}`, params, credentials)).body;
  const events = async (name: string) => (await call("events", { name })).result;
  const upload = async (name: string, content: string) => {
    const response = await fetch(`${purse.serverUrl}/files/${name}`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey },
      body: content,
    });
    return response.json();
  };

  describe("triggers of Parse.File", () => {
    it("beforeSave and afterSave run around an upload with the names of Parse Server", async () => {
      const { name, url } = await upload("note.txt", "hello");
      const about = await fetch(`${purse.serverUrl}/files/${purse.appId}/metadata/${name}`);
      expect((await about.json()).tags).toEqual({ checked: true });
      expect(await events("beforeSaveFile")).toContainEqual(
        expect.objectContaining({ triggerName: "beforeSave", fileSize: 5, agent: "string" }),
      );
      expect(await events("afterSaveFile")).toContainEqual(
        expect.objectContaining({ triggerName: "afterSave", url, content: "hello" }),
      );
    });

    it("afterSave receives the URL and content of uploads by old clients, for any host", async () => {
      const body = JSON.stringify({
        _ApplicationId: purse.appId,
        _MasterKey: purse.masterKey,
        base64: btoa("by an envelope"),
      });
      const url = await new Promise<string>((resolve, reject) => {
        const headers = { Host: "app.example", "Content-Type": "text/plain" };
        const path = "/server/files/old.txt";
        const sent = request({ port: purse.port, host: "127.0.0.1", method: "POST", path, headers });
        sent.on("error", reject).on("response", (response) => {
          let text = "";
          response.on("data", (chunk) => (text += chunk));
          response.on("end", () => resolve(String(JSON.parse(text).url)));
        });
        sent.end(body);
      });
      expect(url).toMatch(/^http:\/\/app\.example\/server\/files\//);
      expect(await events("afterSaveFile")).toContainEqual(
        expect.objectContaining({ url, content: "by an envelope" }),
      );
    });

    it("beforeSave rejects an upload with its own code", async () => {
      expect(await upload("refused.txt", "x")).toEqual({ code: 130, error: "not this one" });
    });

    it("beforeDelete rejects a deletion, and afterDelete runs after one", async () => {
      const kept = await upload("kept.txt", "x");
      const gone = await upload("gone.txt", "x");
      const remove = (name: string) => rest(purse, "DELETE", `/files/${name}`, undefined, MASTER);
      expect((await remove(kept.name)).body).toEqual({ code: 153, error: "kept" });
      expect((await remove(gone.name)).body).toEqual({});
      expect((await fetch(kept.url)).status).toBe(200);
      expect(await events("afterDeleteFile")).toMatchObject([{ triggerName: "afterDelete" }]);
    });

    it("beforeFind restricts downloads and metadata by user, without shared caching", async () => {
      const { name, url } = await upload("private.txt", "mine");
      const about = `${purse.serverUrl}/files/${purse.appId}/metadata/${name}`;
      for (const address of [url, about]) {
        const refused = await fetch(address, { headers: { "x-owner": owner.id } });
        expect([refused.status, await refused.json()]).toEqual([403, { code: 119, error: "private" }]);
      }
      const headers = { "X-Parse-Session-Token": owner.sessionToken, "x-owner": owner.id };
      const given = await fetch(url, { headers });
      expect([given.status, await given.text()]).toEqual([200, "mine"]);
      expect(given.headers.get("cache-control")).toBe("private, no-cache");
      for (const condition of ["Range: bytes=0-1", "If-None-Match: *"]) {
        const [name = "", value = ""] = condition.split(": ");
        const requested = { headers: { "x-owner": owner.id, [name]: value } };
        expect((await fetch(url, requested)).status).toBe(403);
        expect((await fetch(url, { method: "HEAD", ...requested })).status).toBe(403);
      }
    });

    it("afterFind changes the content, also of a range", async () => {
      const { url } = await upload("secret.txt", "my secret word");
      expect(await (await fetch(url)).text()).toBe("my ****** word");
      const part = await fetch(url, { headers: { Range: "bytes=3-8" } });
      expect([part.status, await part.text()]).toEqual([206, "******"]);
    });

    it("afterFind forces the download of a displayable file", async () => {
      const { url } = await upload("keep.png", "x");
      expect((await fetch(url)).headers.get("content-disposition")).toMatch(/^attachment/);
    });
  });

  describe("triggers of Parse.Config", () => {
    const change = async (params: object, more: object = {}) =>
      (await rest(purse, "PUT", "/config", { params, ...more }, MASTER)).body;

    it("run before and after a save with the old and new parameters", async () => {
      await change({ word: "one", other: 1 });
      expect(await change({ word: "two" })).toEqual({ result: true });
      expect(await events("beforeSaveConfig")).toContainEqual({
        name: "beforeSaveConfig",
        triggerName: "beforeSave",
        master: true,
        word: "two",
        before: "one",
      });
      expect(await events("afterSaveConfig")).toContainEqual({
        name: "afterSaveConfig",
        now: { word: "two", other: 1 },
        before: { word: "one", other: 1 },
        mark: "m",
      });
    });

    it("reject a save, which then changes nothing", async () => {
      expect(await change({ word: "good" })).toEqual({ result: true });
      expect(await change({ word: "bad" })).toEqual({ code: 142, error: "that word is not allowed" });
      const { body } = await rest(purse, "GET", "/config");
      expect(body.params).toMatchObject({ word: "good" });
    });

    it("return an error thrown by afterSave although the parameters are saved", async () => {
      expect(await change({ word: "late" })).toEqual({ code: 141, error: "too late" });
      expect((await rest(purse, "GET", "/config")).body.params).toMatchObject({ word: "late" });
    });
  });

  it("onLiveQueryEvent receives connects, subscriptions and disconnects", async () => {
    const socket = await connectLive(purse, { masterKey: purse.masterKey });
    await socket.subscribe("Thing");
    await socket.request({ op: "unsubscribe", requestId: 1 });
    socket.socket.close();
    await socket.closed;
    const heard = async () => {
      const all = await events("live");
      return Array.isArray(all) ? all.map((each) => Object(each).event) : [];
    };
    await expect.poll(heard).toEqual(["ws_connect", "connect", "subscribe", "unsubscribe", "ws_disconnect"]);
    expect(await events("live")).toContainEqual({
      name: "live",
      event: "subscribe",
      clients: 1,
      subscriptions: 1,
      useMasterKey: true,
      hasId: true,
    });
  });

  it("beforeLogin accepts a validator and a class name", async () => {
    const { id, username } = await signUp(purse);
    const logIn = () => rest(purse, "POST", "/login", { username, password: "correct horse" });
    expect((await logIn()).status).toBe(200);
    await rest(purse, "PUT", `/users/${id}`, { banned: true }, MASTER);
    expect((await logIn()).body).toMatchObject({ code: 141, error: "banned" });
  });

  describe("the rate limit of a validator", () => {
    it("counts calls of cloud code with includeInternalRequests", async () => {
      expect(await call("callsCounted")).toEqual({ result: "ran" });
      expect(await call("callsCounted")).toEqual({ result: "ran" });
      expect(await call("callsCounted")).toMatchObject({ code: 155 });
    });

    it("does not count calls of cloud code by default", async () => {
      for (let i = 0; i < 3; i++) expect(await call("callsFree")).toEqual({ result: "ran" });
      expect(await call("free")).toEqual({ result: "ran" });
      expect(await call("free")).toMatchObject({ code: 155 });
    });
  });

  it("has access to the application and server settings without secrets", async () => {
    const { result } = await call("platform");
    expect(result).toMatchObject({
      applicationId: purse.appId,
      serverURL: purse.serverUrl,
      masterKey: null,
      inner: null,
      server: { applicationId: purse.appId, mountPath: "/server", maxUploadSize: 20 * 1024 * 1024 },
      encoded: { __type: "Date", iso: "1970-01-01T00:00:00.000Z" },
      decoded: true,
      same: true,
    });
    expect(JSON.stringify(result)).not.toContain(purse.masterKey);
  });

  it("stays connected to its server, whatever it sets", async () => {
    expect((await call("stillConnected")).result).toMatch(/^\w{10}$/);
  });

  describe("files of cloud code", () => {
    const base64 = Buffer.from("from inside").toString("base64");

    it("are saved with the passed credentials", async () => {
      const { result } = await call("saveFile", { name: "inside.txt", base64 });
      expect(await (await fetch(Object(result).url)).text()).toBe("from inside");
      expect((await call("saveFileAs", { name: "inside.txt", base64 }, owner)).result).toMatch(
        /_inside\.txt$/,
      );
      expect(await call("saveFileAs", { name: "inside.txt", base64 })).toMatchObject({ code: 130 });
    });

    it.each([
      ["page.html", undefined, 130],
      ["page", "text/html", 130],
      ["a.svg", undefined, 130],
      ["a.SVGZ", undefined, 130],
      ["page.html.", "text/html", 130],
      // The client sends no such address.
      ["../up.txt", undefined, -1],
      ["a\u0000.txt", undefined, 122],
      ["a\r\nb.txt", undefined, 122],
      ["x".repeat(200), undefined, 122],
    ])("named %j of type %s are rejected for users", async (name, type, code) => {
      expect(await call("saveFileAs", { name, base64, type }, owner)).toMatchObject({ code });
    });

    it("are read and deleted", async () => {
      const { result } = await call("saveFile", { name: "inside.txt", base64 });
      const file = { __type: "File", ...Object(result) };
      expect(await call("readFile", { file })).toEqual({ result: "from inside" });
      expect(await call("destroyFile", { file })).toEqual({});
      expect((await fetch(file.url)).status).toBe(404);
      expect(await call("readFile", { file })).toMatchObject({ code: 601 });
    });

    it("are saved in one request even if large", async () => {
      const size = 5 * 1024 * 1024 + 1;
      const { result } = await call("saveLarge", { size });
      const content = await (await fetch(String(result))).arrayBuffer();
      expect(content.byteLength).toBe(size);
    });

    it.each([
      "http://127.0.0.1:PORT/",
      "http://localhost:PORT/",
      "http://[::ffff:127.0.0.1]:PORT/",
      "http://2130706433:PORT/",
      "http://169.254.169.254/latest/meta-data/",
      "file:///etc/passwd",
      "data:text/plain,hello",
    ])("with a client's URL are not read from the internal network: %s", async (address) => {
      let requests = 0;
      const server = createServer((_, response) => {
        requests += 1;
        response.end("inside");
      });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const { port } = server.address() as AddressInfo;
      const url = address.replace("PORT", String(port));
      const file = { __type: "File", name: "a.txt", url };
      expect(await call("readFile", { file })).toMatchObject({ code: 601 });
      expect(await call("copyFrom", { uri: url })).toMatchObject({ code: 601 });
      server.close();
      expect(requests).toBe(0);
    });
  });
});
