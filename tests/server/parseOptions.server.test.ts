import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

const CONFIG = {
  objectIdSize: 24,
  convertUsernameToLowercase: true,
  convertEmailToLowercase: true,
  extendSessionOnUse: true,
  sessionSeconds: 3_600,
  fileUpload: { enableForPublic: true },
  fileDownload: { enableForPublic: false, enableForAnonymousUser: false },
  routeAllowList: ["users(/.*)?", "login", "sessions/me", "batch", "classes/Open.*", "functions/.*"],
};

const CLOUD = `
  const shown = (value) =>
    value?.data instanceof Uint8Array && Buffer.isBuffer(value.data)
      ? { filename: value.filename, contentType: value.contentType, text: value.data.toString() }
      : value;
  Parse.Cloud.define("show", ({ params, user }) => ({
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [name, shown(value)])),
    ...(user && { user: user.id }),
  }));
  Parse.Cloud.define("withFile", ({ params }) => shown(params.file), { fields: { file: { required: true } } });
  Parse.Cloud.define("saveClosed", async () => (await new Parse.Object("Closed").save()).id.length);
`;

describe.each(DATABASES)("options of Parse Server on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-options-"));
    const env = { PURSE_CONFIG: join(folder, "purse.config.ts"), PURSE_CLOUD: join(folder, "cloud.mjs") };
    writeFileSync(env.PURSE_CONFIG, `export default ${JSON.stringify(CONFIG)};`);
    writeFileSync(env.PURSE_CLOUD, CLOUD);
    purse = await hostPurse({ cloudCode: true, env: { ...(await databaseEnv(database)), ...env } });
  });
  afterAll(() => purse.remove());

  it("give new objects ids of the configured size", async () => {
    const { body } = await rest(purse, "POST", "/classes/Open", {});
    expect(body.objectId).toMatch(/^[0-9A-Za-z]{24}$/);
    expect((await rest(purse, "GET", `/classes/Open/${body.objectId}`)).status).toBe(200);
    expect((await signUp(purse)).id).toHaveLength(24);
    const requests = [{ method: "POST", path: "/server/classes/Open", body: {} }];
    const [created] = Object(await rest(purse, "POST", "/batch", { requests })).body;
    expect(created.success.objectId).toHaveLength(24);
  });

  it("store usernames and email addresses in lower case", async () => {
    const { id, sessionToken } = await signUp(purse, { username: "MiXed", email: "MiXed@Example.org" });
    const stored = async () => (await rest(purse, "GET", "/users/me", undefined, { sessionToken })).body;
    expect(await stored()).toMatchObject({ username: "mixed", email: "mixed@example.org" });
    const logIn = await rest(purse, "POST", "/login", { username: "MIXED", password: "correct horse" });
    expect(logIn.body.objectId).toBe(id);
    const change = { username: "Other", email: "OTHER@example.org" };
    const { body } = await rest(purse, "PUT", `/users/${id}`, change, { sessionToken });
    expect(body).toMatchObject({ username: "other", email: "other@example.org" });
    expect(await stored()).toMatchObject({ username: "other", email: "other@example.org" });
  });

  it("extend a session that is used after half of its lifetime", async () => {
    const fresh = await signUp(purse);
    const old = await signUp(purse);
    const sessionOf = async (userId: string): Promise<JsonObject> => {
      const user = { __type: "Pointer", className: "_User", objectId: userId };
      const found = await rest(purse, "GET", `/sessions${query({ where: { user } })}`, undefined, MASTER);
      return Object(found.body.results)[0];
    };
    const expiryOf = async (userId: string) => Date.parse(Object(await sessionOf(userId)).expiresAt.iso);
    const before = await expiryOf(fresh.id);
    const soon = { __type: "Date", iso: new Date(Date.now() + 20 * 60_000).toISOString() };
    const { objectId } = await sessionOf(old.id);
    await rest(purse, "PUT", `/sessions/${objectId}`, { expiresAt: soon }, MASTER);
    const use = (sessionToken: string) => rest(purse, "GET", "/users/me", undefined, { sessionToken });
    expect([(await use(fresh.sessionToken)).status, (await use(old.sessionToken)).status]).toEqual([
      200, 200,
    ]);
    await expect.poll(() => expiryOf(old.id)).toBeGreaterThan(Date.now() + 55 * 60_000);
    expect(await expiryOf(fresh.id)).toBe(before);
  });

  it("restrict downloads to users", async () => {
    const upload = await fetch(`${purse.serverUrl}/files/a.txt`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "text/plain" },
      body: "content",
    });
    const { url } = Object(await upload.json());
    const download = async (headers: Record<string, string> = {}) => {
      const response = await fetch(url, { headers });
      const text = await response.text();
      return [response.status, response.ok ? text : JSON.parse(text).error];
    };
    expect(await download()).toEqual([403, "File download by public is disabled."]);
    const { sessionToken } = await signUp(purse);
    expect(await download({ "X-Parse-Session-Token": sessionToken })).toEqual([200, "content"]);
    const anonymous = { authData: { anonymous: { id: "0123456789abcdef-0123456789" } } };
    const { body } = await rest(purse, "POST", "/users", anonymous);
    expect(await download({ "X-Parse-Session-Token": String(body.sessionToken) })).toEqual([
      403,
      "File download by anonymous user is disabled.",
    ]);
    expect(await download({ "X-Parse-Master-Key": purse.masterKey })).toEqual([200, "content"]);
    const shown = await fetch(url, { headers: { "X-Parse-Session-Token": sessionToken } });
    expect(shown.headers.get("cache-control")).toBe("private, no-cache");
    const metadata = url.replace(`/files/${purse.appId}/`, `/files/${purse.appId}/metadata/`);
    expect((await fetch(metadata)).status).toBe(403);
  });

  it("let clients call only the routes of the list, also in batches", async () => {
    const refused = (path: string) => ({ code: 119, error: `Route not allowed: ${path}` });
    const closed = await rest(purse, "POST", "/classes/Closed", {});
    expect([closed.status, closed.body]).toEqual([403, refused("classes/Closed")]);
    for (const path of ["/classes/%43losed", "//classes//Closed", "/classes/Closed/", "/roles", "/config"])
      expect((await rest(purse, "GET", path)).body.code).toBe(119);
    const requests = ["Open", "Closed"].map((name) => ({
      method: "POST",
      path: `/server/classes/${name}`,
      body: {},
    }));
    const [open, batched] = Object(await rest(purse, "POST", "/batch", { requests })).body;
    expect([Object.keys(open), batched]).toEqual([["success"], { error: refused("classes/Closed") }]);
    expect((await rest(purse, "POST", "/classes/Closed", {}, MASTER)).status).toBe(201);
    expect((await rest(purse, "POST", "/functions/saveClosed", {})).body).toEqual({ result: 24 });
  });

  describe("functions that are called with a form", () => {
    const call = async (name: string, form: FormData, headers: Record<string, string> = {}) => {
      const response = await fetch(`${purse.serverUrl}/functions/${name}`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": purse.appId, ...headers },
        body: form,
      });
      return { status: response.status, body: await response.json() };
    };

    it("receive its texts and files as parameters", async () => {
      const { id, sessionToken } = await signUp(purse);
      const form = new FormData();
      form.set("title", "A ä");
      form.set("number", "1");
      form.set("file", new File(["first\r\n--"], "a b.txt", { type: "text/plain" }));
      form.set("other", new Blob(["second"]), "b");
      const { body } = await call("show", form, { "X-Parse-Session-Token": sessionToken });
      expect(body).toEqual({
        result: {
          title: "A ä",
          number: "1",
          file: { filename: "a b.txt", contentType: "text/plain", text: "first\r\n--" },
          other: { filename: "b", contentType: "application/octet-stream", text: "second" },
          user: id,
        },
      });
      expect((await call("withFile", form)).body.result.filename).toBe("a b.txt");
      form.delete("file");
      expect((await call("withFile", form)).body.code).toBe(142);
    });

    it("are refused forms that are too large, malformed or sent to other routes", async () => {
      const large = new FormData();
      large.set("file", new Blob([new Uint8Array(21 * 1024 * 1024)]), "large");
      expect((await call("show", large, { "X-Parse-Master-Key": purse.masterKey })).status).toBe(413);
      const named = new FormData();
      named.set("__proto__", "a");
      expect((await call("show", named)).body.code).toBe(105);
      const sent = await fetch(`${purse.serverUrl}/functions/show`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "multipart/form-data" },
        body: "a",
      });
      expect([sent.status, Object(await sent.json()).code]).toEqual([400, 107]);
      const form = new FormData();
      form.set("title", "a");
      const toClass = await fetch(`${purse.serverUrl}/classes/Open`, {
        method: "POST",
        headers: { "X-Parse-Application-Id": purse.appId },
        body: form,
      });
      expect([toClass.status, Object(await toClass.json()).code]).toEqual([400, 107]);
    });
  });
});
