import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { pairsOf } from "../support/allCases.ts";
import {
  type AttackTarget,
  type Attempt,
  attack,
  IDENTITIES,
  READ_ONLY_KEY,
  TRANSPORTS,
} from "../support/attempts.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { connectLive, type LiveSocket, openSocket } from "../support/liveClient.ts";
import { type PurseProcess, query, rest, signUp, startPurse } from "../support/purse.ts";
import { type PushServices, startPushServices } from "../support/pushServices.ts";
import { until } from "../support/until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MASTER = { useMasterKey: true };
const READER = { "X-Parse-Master-Key": READ_ONLY_KEY };
/** The maximum number of sockets per address. */
const MAX_SOCKETS = 30;
const SCRIPT = "<script>alert(document.domain)</script>";

interface Served {
  status: number;
  headers: Headers;
  text: string;
}

async function fetchText(url: string, init: RequestInit = {}): Promise<Served> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Returns the error code of a response, or undefined if it has none. */
function codeOf({ text }: Served): unknown {
  const body: unknown = JSON.parse(text);
  return isJsonObject(body) ? body.code : undefined;
}

/* Attacks on files, sockets, outgoing requests and keys, with the case numbers of docs/deploy/security.md. */
describe.each(DATABASES)("attacks on services on %s", (database) => {
  let purse: PurseProcess;
  let attackTarget: AttackTarget & { sessionToken: string; userId: string };
  let internalServer: { url: string; requested: string[]; server: Server };
  let pushServices: PushServices;

  beforeAll(async () => {
    internalServer = await startInternalServer();
    pushServices = await startPushServices();
    purse = await startPurse({
      env: {
        ...pushServices.env,
        ...(await databaseEnv(database)),
        PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
        PURSE_REQUEST_TIMEOUT_MS: "1000",
        PURSE_KEEP_ALIVE_SECONDS: "1",
        PURSE_LIVE_SOCKETS_PER_ADDRESS: String(MAX_SOCKETS),
      },
    });
    attackTarget = await attack(purse);
  });
  afterAll(async () => {
    internalServer?.server.close();
    await purse?.remove();
    await pushServices?.stop();
  });
  beforeEach(() => {
    internalServer.requested.length = 0;
  });

  const upload = (name: string, body: BodyInit, headers: Record<string, string>) =>
    fetchText(`${purse.serverUrl}/files/${name}`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": purse.appId, ...headers },
      body,
    });
  const asUser = () => ({ "X-Parse-Session-Token": attackTarget.sessionToken });
  const asOperator = () => ({ "X-Parse-Master-Key": purse.masterKey });

  /** Every route to upload a file; each returns the response of the deciding request. */
  const FILE_REQUESTS: Record<
    string,
    (name: string, type: string, body: string, key: JsonObject) => Promise<Served>
  > = {
    bytes: (name, type, body, key) =>
      upload(encodeURIComponent(name), body, {
        "Content-Type": type,
        ...(typeof key._MasterKey === "string" && { "X-Parse-Master-Key": key._MasterKey }),
        ...(typeof key._SessionToken === "string" && { "X-Parse-Session-Token": key._SessionToken }),
      }),
    envelope: (name, type, body, key) =>
      fetchText(`${purse.serverUrl}/files/${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "Content-Type": "text/plain" },
        body: JSON.stringify({
          _ApplicationId: purse.appId,
          _ContentType: type,
          base64: Buffer.from(body).toString("base64"),
          ...key,
        }),
      }),
    async resumable(name, type, body, key) {
      const encoded = (text: string) => Buffer.from(text).toString("base64");
      const headers: Record<string, string> = {
        "X-Parse-Application-Id": purse.appId,
        "Tus-Resumable": "1.0.0",
        ...(typeof key._MasterKey === "string" && { "X-Parse-Master-Key": key._MasterKey }),
        ...(typeof key._SessionToken === "string" && { "X-Parse-Session-Token": key._SessionToken }),
      };
      const resumableUpload = await fetchText(`${purse.serverUrl}/files/resumable`, {
        method: "POST",
        headers: {
          ...headers,
          "Upload-Length": String(Buffer.byteLength(body)),
          "Upload-Metadata": `filename ${encoded(name)},filetype ${encoded(type)}`,
        },
      });
      const place = resumableUpload.headers.get("location");
      if (place === null) return resumableUpload;
      const sent = await fetchText(new URL(place, purse.serverUrl).href, {
        method: "PATCH",
        headers: { ...headers, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
        body,
      });
      const url = sent.headers.get("x-parse-file-url");
      return url === null ? sent : { ...sent, text: JSON.stringify({ url }) };
    },
  };

  describe("a live query after a permission is revoked (case 15)", () => {
    const REMOVED_RIGHTS: [
      string,
      (thing: string, who: Awaited<ReturnType<typeof signUp>>) => Promise<Attempt>,
    ][] = [
      [
        "an emptied ACL",
        async (thing) => ({
          method: "PUT",
          path: `/classes/Secret/${thing}`,
          params: { ACL: {} },
          codes: [],
        }),
      ],
      [
        "a lost role",
        async (_, { id }) => {
          const [role] = (
            await rest(purse, "GET", `/roles${query({ order: "-createdAt" })}`, undefined, MASTER)
          ).body.results as { objectId: string }[];
          const user = { __type: "Pointer", className: "_User", objectId: id };
          return {
            method: "PUT",
            path: `/roles/${role?.objectId}`,
            params: { users: { __op: "RemoveRelation", objects: [user] } },
            codes: [],
          };
        },
      ],
      [
        "a changed password",
        async (_, { id }) => ({
          method: "PUT",
          path: `/users/${id}`,
          params: { password: "another horse" },
          codes: [],
        }),
      ],
      [
        "a deleted session",
        async (_, { sessionToken }) => {
          const mine = await rest(purse, "GET", "/sessions/me", undefined, { sessionToken });
          return { method: "DELETE", path: `/sessions/${mine.body.objectId}`, codes: [] };
        },
      ],
    ];

    it.each(
      pairsOf(REMOVED_RIGHTS, TRANSPORTS).map(
        ([[name, loss], transport]) => [name, transport, loss] as const,
      ),
    )("reports no more events after %s by %s", async (_name, transport, loss) => {
      const who = await signUp(purse);
      const user = { __type: "Pointer", className: "_User", objectId: who.id };
      const name = `readers-${randomUUID()}`;
      await rest(
        purse,
        "POST",
        "/roles",
        { name, ACL: {}, users: { __op: "AddRelation", objects: [user] } },
        MASTER,
      );
      const own = { text: "for me", ACL: { [`role:${name}`]: { read: true } } };
      const thing = String((await rest(purse, "POST", "/classes/Secret", own, MASTER)).body.objectId);
      const client = await connectLive(purse, { sessionToken: who.sessionToken });
      try {
        expect(await client.subscribe("Secret")).toMatchObject({ op: "subscribed" });
        const path = `/classes/Secret/${thing}`;
        await rest(purse, "PUT", path, { text: "still mine" }, MASTER);
        expect(await client.next()).toMatchObject({ op: "update", object: { text: "still mine" } });
        const lost = await attackTarget.send(transport, "the master key", await loss(thing, who));
        expect(lost.code).toBeNull();
        await rest(purse, "PUT", path, { text: "not mine any more" }, MASTER);
        await client.receivedOps("Secret");
        expect(JSON.stringify(client.received)).not.toContain("not mine any more");
        for (const { op, object } of client.received) {
          expect(["leave", "delete", "error"]).toContain(op);
          expect(object?.text).toBeUndefined();
        }
      } finally {
        client.socket.terminate();
      }
      await attackTarget.expectAlive();
    });
  });

  it.each(IDENTITIES)("a live query matches the objects that REST returns to %s (case 16)", async (who) => {
    const className = `Owned${randomUUID().slice(0, 8)}`;
    await rest(
      purse,
      "POST",
      `/schemas/${className}`,
      {
        fields: { owner: { type: "Pointer", targetClass: "_User" }, friends: { type: "Array" } },
        classLevelPermissions: {
          find: { pointerFields: ["owner", "friends"] },
          get: { pointerFields: ["owner", "friends"] },
          create: { "*": true },
        },
      },
      MASTER,
    );
    const token = attackTarget.sessionToken;
    const keys =
      who === "a user"
        ? { sessionToken: token }
        : who === "an anonymous client"
          ? {}
          : { masterKey: who === "the master key" ? purse.masterKey : READ_ONLY_KEY };
    const client = await connectLive(purse, keys);
    try {
      const subscribed = await client.subscribe(className);
      const me = { __type: "Pointer", className: "_User", objectId: attackTarget.userId };
      const other = { __type: "Pointer", className: "_User", objectId: (await signUp(purse)).id };
      const create = (fields: object) => rest(purse, "POST", `/classes/${className}`, fields, MASTER);
      for (const fields of [
        { n: 1, owner: me },
        { n: 2, owner: other },
        { n: 3, friends: [me] },
      ])
        await create(fields);
      await client.receivedOps(className, () => create({ n: 4 }));
      const delivered = client.received.filter(({ op }) => op === "create").map(({ object }) => object?.n);
      for (const transport of TRANSPORTS) {
        const answer = await attackTarget.send(transport, who, {
          method: "GET",
          path: `/classes/${className}`,
          params: { order: "n" },
          codes: [],
        });
        const body: unknown = JSON.parse(answer.text);
        const rows = isJsonObject(body) && Array.isArray(body.results) ? body.results : [];
        const found = rows.map((row) => (isJsonObject(row) ? row.n : undefined));
        if (answer.code === null) expect([transport, delivered]).toEqual([transport, found]);
        // For the read-only key a batch is a write.
        else if (who !== "the read-only key")
          expect([transport, subscribed.op]).toEqual([transport, "error"]);
      }
    } finally {
      client.socket.terminate();
    }
    await attackTarget.expectAlive();
  });

  // The others do not depend on the database.
  if (!runsEveryCase(database)) return;

  describe("content that browsers might execute (case 29)", () => {
    const ACTIVE: [string, string, string][] = [
      ["page.html", "text/html", SCRIPT],
      ["page.HtMl", "text/plain", SCRIPT],
      ["page.html.", "text/plain", SCRIPT],
      ["page.xhtml", "application/xhtml+xml", SCRIPT],
      ["picture.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`],
      ["data.xml", "text/xml", `<?xml-stylesheet href="x.xsl"?>`],
      ["noextension", "text/html; charset=utf-8", SCRIPT],
      ["noextension", "image/svg+xml;x=y", SCRIPT],
      ["page.shtml", "text/plain", SCRIPT],
    ];

    it.each(
      pairsOf(ACTIVE, Object.keys(FILE_REQUESTS)).map(
        ([[name, type, body], transport]) => [name, type, transport, body] as const,
      ),
    )("in %s as %s by %s is rejected for users or served inert", async (name, type, transport, body) => {
      const keys: JsonObject[] = [
        { _SessionToken: attackTarget.sessionToken },
        { _MasterKey: purse.masterKey },
      ];
      for (const key of keys) {
        const answer = await FILE_REQUESTS[transport]?.(name, type, body, key);
        const { url }: { url?: string } = JSON.parse(answer?.text ?? "{}");
        if (url !== undefined) await expectInert(url);
        else expect([130, 122]).toContain(answer && codeOf(answer));
        // Only the master key may upload names with an active extension.
        if ("_SessionToken" in key && !name.endsWith(".")) expect(url).toBeUndefined();
      }
      await attackTarget.expectAlive();
    });

    it.each<[string, string, string]>([
      ["picture.gif", "image/gif", `GIF89a/*${SCRIPT}*/`],
      ["picture.png", "text/html", SCRIPT],
      ["picture.jpg", "image/jpeg", `\xff\xd8\xff${SCRIPT}`],
      ["document.pdf", "application/pdf", `%PDF-1.4 ${SCRIPT}`],
      ["a.unknown", "application/octet-stream", SCRIPT],
    ])("in %s as %s is never served as a page", async (name, type, body) => {
      for (const send of Object.values(FILE_REQUESTS)) {
        const taken = await send(name, type, body, { _SessionToken: attackTarget.sessionToken });
        const { url }: { url?: string } = JSON.parse(taken.text);
        if (url !== undefined) await expectInert(url);
        else expect(codeOf(taken)).toBe(130);
      }
      await attackTarget.expectAlive();
    });

    it.each(["page.html", "picture.svg", "none"])(
      "in %s of an IPFS folder is served inert",
      { tags: ["7.data.endpoint.ipfs-upload-folder"] },
      async (name) => {
        const { text } = await fetchText(`${purse.url}/api/v2/ipfs/uploadFolder`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify([{ path: `folder/${name}`, content: Buffer.from(SCRIPT).toString("base64") }]),
        });
        const [file]: { path: string }[] = JSON.parse(text);
        await expectInert(String(file?.path));
        // A file name in the URL does not make it a page either.
        await expectInert(`${file?.path}?filename=page.html`);
        await attackTarget.expectAlive();
      },
    );

    async function expectInert(url: string): Promise<void> {
      const { status, headers } = await fetchText(url);
      expect(status).toBe(200);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      if (!headers.get("content-disposition")?.startsWith("attachment"))
        expect(headers.get("content-type")).not.toMatch(/html|xml|javascript/);
    }
  });

  describe("names and ranges of files (case 30)", () => {
    const NAMES = [
      "../up.txt",
      "..\\up.txt",
      "a\0.txt",
      "a\r\nX-Evil: 1.txt",
      "C:\\windows.txt",
      "/etc/passwd",
      "~/.ssh/id",
      ".hidden",
      "a/../../b.txt",
      "a".repeat(1_000),
      "‮gpj.exe",
    ];

    it.each(pairsOf(NAMES, Object.keys(FILE_REQUESTS)))(
      "reject the name %j by %s",
      async (name, transport) => {
        const answer = await FILE_REQUESTS[transport]?.(name, "text/plain", "x", {
          _SessionToken: attackTarget.sessionToken,
        });
        expect(answer?.status).toBeGreaterThanOrEqual(400);
        expect(answer?.status).toBeLessThan(500);
        expect(answer?.headers.get("x-evil")).toBeNull();
        await attackTarget.expectAlive();
      },
    );

    it.each([
      "bytes=0-99999999999999999999",
      "bytes=-99999999999999999999",
      "bytes=5-1",
      "bytes=abc",
      `bytes=${"0-1,".repeat(2_000)}0-1`,
      "bytes=1000000-",
      "pages=1-2",
      "bytes=-",
    ])("return at most the whole file for the range %.40s", async (range) => {
      const { text } = await upload("a.txt", "0123456789", asUser());
      const answer = await fetchText(JSON.parse(text).url, { headers: { range } });
      expect([200, 206, 416]).toContain(answer.status);
      expect(answer.text.length).toBeLessThanOrEqual(10);
      await attackTarget.expectAlive();
    });

    it("include an image with an enormous declared size, which is only stored", async () => {
      // 100,000 by 100,000 pixels, as its header says.
      const bomb = Buffer.from(
        `89504e470d0a1a0a0000000d49484452000186a0000186a00806000000${"00".repeat(16)}`,
        "hex",
      );
      const { status, text } = await upload("bomb.png", bomb, asUser());
      expect(status).toBe(201);
      const answer = await fetch(JSON.parse(text).url);
      expect((await answer.arrayBuffer()).byteLength).toBe(bomb.length);
      await attackTarget.expectAlive();
    });
  });

  describe("requests to the internal network (case 31)", () => {
    /** Spellings of local and private addresses with the port of the internal server. */
    const inside = (): string[] => {
      const { port } = new URL(internalServer.url);
      return [
        internalServer.url,
        `http://localhost:${port}/`,
        `http://[::ffff:127.0.0.1]:${port}/`,
        `http://2130706433:${port}/`,
        `http://0x7f.1:${port}/`,
        `http://0:${port}/`,
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[fe80::1]/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
      ];
    };

    it("are not made by a webhook for a function or trigger", async () => {
      for (const [i, url] of inside().entries()) {
        const functionName = `inside${i}`;
        await rest(purse, "POST", "/hooks/functions", { functionName, url }, MASTER);
        const called = await rest(purse, "POST", `/functions/${functionName}`, {});
        expect([url, called.body.code]).toEqual([url, 141]);
        const className = `Inside${i}`;
        await rest(purse, "POST", "/hooks/triggers", { className, triggerName: "beforeSave", url }, MASTER);
        await rest(purse, "POST", `/classes/${className}`, { n: 1 });
      }
      expect(internalServer.requested).toEqual([]);
      await attackTarget.expectAlive();
    });

    it("are not made by a browser's push subscription", async () => {
      const forged = JSON.parse(pushServices.browsers.subscribe("forged"));
      for (const [i, endpoint] of inside().entries()) {
        const deviceToken = JSON.stringify({ ...forged, endpoint });
        const install = {
          installationId: `inside-${i}`,
          deviceType: "web",
          deviceToken,
          channels: ["inside"],
        };
        for (const transport of TRANSPORTS)
          await attackTarget.send(transport, "an anonymous client", {
            method: "POST",
            path: "/installations",
            params: { ...install, installationId: `${install.installationId}-${transport.length}` },
            codes: [],
          });
      }
      const order = { channels: ["inside"], data: { alert: "x" } };
      const pushed = await rest(purse, "POST", "/push", order, MASTER);
      const status = `/classes/_PushStatus/${pushed.headers.get("x-parse-push-status-id")}`;
      await expect
        .poll(async () => (await rest(purse, "GET", status, undefined, MASTER)).body.status, {
          timeout: 10_000,
        })
        .toMatch(/succeeded|failed/);
      expect(internalServer.requested).toEqual([]);
      await attackTarget.expectAlive();
    });

    it("are not made by file URLs in objects and uploads", async () => {
      for (const url of inside()) {
        const file = { __type: "File", name: "a.txt", url };
        for (const transport of TRANSPORTS)
          await attackTarget.send(transport, "a user", {
            method: "POST",
            path: "/classes/Doc",
            params: { file },
            codes: [],
          });
        const body = { _source: { format: "uri", uri: url }, uri: url, base64: { uri: url } };
        const answer = await fetchText(`${purse.serverUrl}/files/a.txt`, {
          method: "POST",
          body: JSON.stringify({
            _ApplicationId: purse.appId,
            _SessionToken: attackTarget.sessionToken,
            ...body,
          }),
        });
        expect(answer.status).toBe(400);
      }
      await rest(purse, "GET", "/classes/Doc");
      expect(internalServer.requested).toEqual([]);
      await attackTarget.expectAlive();
    });

    it("are not made by IPFS requests and uploads", async () => {
      for (const url of inside()) {
        const requested = await fetchText(`${purse.url}/ipfs/${encodeURIComponent(url)}`);
        expect(requested.status).toBeGreaterThanOrEqual(400);
        expect(requested.status).toBeLessThan(500);
        await fetchText(`${purse.url}/api/v2/ipfs/uploadFolder`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify([{ path: "a", content: url }]),
        });
      }
      expect(internalServer.requested).toEqual([]);
      await attackTarget.expectAlive();
    });

    it("are not made by a sign-in that names its own issuer", async () => {
      for (const url of inside()) {
        const authData = { oidc: { id: "x", id_token: "a.b.c", issuer: url, jwks_uri: url, picture: url } };
        const answer = await rest(purse, "POST", "/users", { authData });
        expect(answer.status).toBe(400);
      }
      expect(internalServer.requested).toEqual([]);
      await attackTarget.expectAlive();
    });
  });

  describe("slow connections (case 34)", () => {
    /** Whether the server has an open file with this name. */
    function hasOpen(name: string): boolean {
      const folder = `/proc/${purse.pid}/fd`;
      return readdirSync(folder).some((id) => {
        try {
          return readlinkSync(join(folder, id)).includes(name);
        } catch {
          return false; // It has been closed.
        }
      });
    }
    /** Sends a part of a request, and goes on until the server closes the connection. */
    async function sendSlowly(first: string, more?: (socket: Socket) => void): Promise<void> {
      const socket = connect(purse.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.resume();
      await new Promise<void>((open) => socket.once("connect", () => open()));
      socket.write(first);
      await until(() => {
        if (!socket.closed) more?.(socket);
        return socket.closed;
      });
    }
    const head = "POST /server/classes/Thing HTTP/1.1\r\nHost: x\r\nX-Parse-Application-Id: test-app\r\n";

    // They wait for the same deadline.
    it.concurrent.each<[string, string, ((socket: Socket) => void)?]>([
      ["silence", ""],
      ["an endless request line", "GET /"],
      ["slow headers", head, (socket) => socket.write("X-Slow: 1\r\n")],
      ["a slow body", `${head}Content-Length: 10000\r\n\r\n{`, (socket) => socket.write(" ")],
      ["an incomplete body", `${head}Content-Length: 10000\r\n\r\n{"a":`],
      ["slow chunks", `${head}Transfer-Encoding: chunked\r\n\r\n`, (socket) => socket.write("1\r\n \r\n")],
      ["silence after a response", "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"],
    ])("with %s are closed at the deadline", async (_name, first, more) => {
      await Promise.all([sendSlowly(first, more), attackTarget.expectAlive()]);
      await attackTarget.expectAlive();
    });

    it("with a response that is not read are closed", async () => {
      const { text } = await upload("large.bin", new Uint8Array(15_000_000), asUser());
      const { pathname } = new URL(JSON.parse(text).url);
      const socket = connect({ port: purse.port, host: "127.0.0.1" });
      socket.on("error", () => {});
      await new Promise<void>((open) => socket.once("connect", () => open()));
      socket.pause();
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await expect.poll(() => hasOpen("large.bin")).toBe(true);
      await expect.poll(() => hasOpen("large.bin")).toBe(false);
      // The buffered data is read, and then the connection ends.
      let bytes = 0;
      socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
      socket.resume();
      await new Promise<void>((done) => socket.once("close", () => done()));
      expect(bytes).toBeLessThan(15_000_000);
      await attackTarget.expectAlive();
    });
  });

  describe("a flood of sockets (case 35)", () => {
    /** Returns the number of open sockets in the metrics. */
    async function openSockets(): Promise<number> {
      const metrics = await fetch(`${purse.url}/metrics`, {
        headers: { Authorization: `Bearer ${purse.masterKey}` },
      });
      return Number(/^purse_live_sockets (\d+)$/m.exec(await metrics.text())?.[1]);
    }

    it("is stopped at the limit per address, while HTTP and open sockets continue", async () => {
      await expect.poll(openSockets).toBe(0);
      const listener = await connectLive(purse);
      await listener.subscribe("Flooded");
      const outcomes = await Promise.all(
        Array.from({ length: 2 * MAX_SOCKETS }, async () => {
          const socket = new WebSocket(purse.serverUrl.replace(/^http/, "ws"));
          const status = await new Promise<number | undefined>((done, fail) => {
            socket.once("open", () => done(101)).once("error", fail);
            socket.once("unexpected-response", (_request, { statusCode }) => done(statusCode));
          });
          return { socket, status };
        }),
      );
      // The listener's socket is one of them.
      expect(outcomes.filter(({ status }) => status === 101)).toHaveLength(MAX_SOCKETS - 1);
      expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(MAX_SOCKETS + 1);
      expect(await openSockets()).toBe(MAX_SOCKETS);
      await rest(purse, "POST", "/classes/Flooded", { n: 1 });
      expect(await listener.next()).toMatchObject({ op: "create", object: { n: 1 } });
      await attackTarget.expectAlive();
      for (const { socket } of outcomes) socket.on("error", () => undefined).terminate();
      await expect.poll(openSockets).toBe(1);
      const again = await connectLive(purse);
      for (const { socket } of [again, listener]) socket.terminate();
    });

    it.each<[string, (client: LiveSocket) => Promise<unknown>]>([
      [
        "with too many subscriptions is rejected at the limit per address",
        async ({ socket, received: delivered }) => {
          for (let i = 0; i < 800; i++) {
            const query = { className: "Flooded", where: { n: i } };
            socket.send(JSON.stringify({ op: "subscribe", requestId: i, query }));
          }
          await expect.poll(() => delivered.length, { timeout: 10_000 }).toBe(800);
          // Ten for each socket that the address may open, one of which is the listener's.
          const allowed = 10 * MAX_SOCKETS - 1;
          expect(delivered.filter(({ op }) => op === "subscribed")).toHaveLength(allowed);
          expect(delivered.filter(({ op, code }) => op === "error" && code === 155)).toHaveLength(
            800 - allowed,
          );
        },
      ],
      [
        "with too many messages is disconnected",
        async ({ socket, closed }) => {
          for (let i = 0; i < 5_000; i++) socket.send('{"op":"unsubscribe","requestId":9}');
          expect((await closed).code).toBe(1008);
        },
      ],
      [
        "with one oversized message is disconnected",
        async ({ socket, closed }) => {
          socket.send(`{"op":"subscribe","requestId":1,"query":"${"x".repeat(1_000_000)}"}`);
          expect((await closed).code).toBe(1009);
        },
      ],
      [
        "with unread events is disconnected",
        async (client) => {
          await client.subscribe("Heavy");
          const before = await openSockets();
          client.socket.pause();
          const text = "x".repeat(500_000);
          // The kernel buffers some of them; the server buffers the rest up to a limit.
          for (let i = 0; i < 60 && (await openSockets()) === before; i++)
            await rest(purse, "POST", "/classes/Heavy", { text });
          await expect.poll(openSockets, { timeout: 10_000 }).toBe(before - 1);
        },
      ],
    ])("%s without effects on other clients", async (_name, flood) => {
      const listener = await connectLive(purse);
      await listener.subscribe("Beside");
      const client = await connectLive(purse);
      try {
        await flood(client);
        await rest(purse, "POST", "/classes/Beside", { n: 1 });
        expect(await listener.next()).toMatchObject({ op: "create", object: { n: 1 } });
        expect(memoryMiB(purse.pid)).toBeLessThan(1_500);
      } finally {
        client.socket.terminate();
        listener.socket.terminate();
      }
      await attackTarget.expectAlive();
    });
  });

  describe("pages of other sites (case 36)", () => {
    const cookies = () =>
      ["sessionToken", "X-Parse-Session-Token", "_SessionToken", "Parse-Session"]
        .map((name) => `${name}=${attackTarget.sessionToken}`)
        .join("; ");
    const foreign = () => ({
      Cookie: cookies(),
      Origin: "https://evil.example",
      Referer: "https://evil.example/",
    });

    it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
      "are anonymous, whatever cookies they send with a %s",
      async (type) => {
        const me = await fetchText(`${purse.serverUrl}/users/me`, {
          method: "POST",
          headers: { ...foreign(), "Content-Type": type },
          body: JSON.stringify({ _ApplicationId: purse.appId, _method: "GET" }),
        });
        expect([209, 107]).toContain(codeOf(me));
        const file = await upload("a.txt", "x", { ...foreign(), "Content-Type": type });
        expect([130, 107]).toContain(codeOf(file));
        await attackTarget.expectAlive();
      },
    );

    it("are anonymous on a WebSocket, and never get credentials by CORS", async () => {
      const client = await openSocket(purse, foreign());
      await client.request({ op: "connect", applicationId: purse.appId });
      await client.subscribe("_User");
      const path = `/users/${attackTarget.userId}`;
      const ACL = { [attackTarget.userId]: { read: true, write: true } };
      await client.receivedOps("_User", () => rest(purse, "PUT", path, { note: "mine", ACL }, MASTER));
      expect(JSON.stringify(client.received)).not.toContain("mine");
      client.socket.terminate();
      for (const path of ["/server/users/me", "/server/files/a", "/api/v2/info/endpointWeights", "/health"]) {
        const { headers } = await fetchText(purse.url + path, { headers: foreign() });
        expect(headers.get("access-control-allow-credentials")).toBeNull();
      }
      await attackTarget.expectAlive();
    });
  });

  describe("the master key (case 37)", () => {
    it("is in no response, page or log", async () => {
      const key = purse.masterKey;
      const requested: Promise<Served>[] = [
        "/",
        "/config.json",
        "/health",
        "/ready",
        "/metrics",
        "/api/v2/docs",
        "/api/v2/openapi.json",
        "/api-docs/v2/swagger.json",
        "/keys.json",
        "/data/keys.json",
        "/.env",
        "/purse.config.ts",
      ].map((path) => fetchText(purse.url + path));
      const wrong = [
        `{"_ApplicationId":"test-app","_MasterKey":"${key}",`,
        `{"_ApplicationId":"test-app","_MasterKey":"${key}","_method":"GET","where":{"$x":1}}`,
        `{"_ApplicationId":"test-app","_MasterKey":"${key}","_method":"PATCH"}`,
        `{"_ApplicationId":"test-app","_MasterKey":["${key}"]}`,
      ];
      for (const body of wrong)
        requested.push(
          fetchText(`${purse.serverUrl}/classes/Thing?_MasterKey=${key}`, { method: "POST", body }),
          fetchText(`${purse.serverUrl}/files/a.html`, { method: "POST", body }),
          fetchText(`${purse.serverUrl}/functions/none`, { method: "POST", body }),
        );
      for (const answer of await Promise.all(requested)) {
        expect(answer.text).not.toContain(key);
        expect([...answer.headers].join()).not.toContain(key);
      }
      const cached = await fetchText(`${purse.serverUrl}/classes/Alive`, {
        headers: { "X-Parse-Application-Id": purse.appId, ...asOperator() },
      });
      expect(cached.headers.get("cache-control")).toBe("no-store");
      expect(purse.output()).not.toContain(key);
      expect(purse.output()).not.toContain(READ_ONLY_KEY);
      await attackTarget.expectAlive();
    });

    it("is not in the built browser applications", () => {
      const files = ["apps/web/dist", "apps/studio/dist"].flatMap((built) =>
        readdirSync(join(ROOT, built), { recursive: true, withFileTypes: true }).filter((each) =>
          each.isFile(),
        ),
      );
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        expect(file.name).not.toMatch(/\.map$/);
        const text = readFileSync(join(file.parentPath, file.name), "latin1");
        expect(text).not.toMatch(/PURSE_MASTER_KEY|keys\.json|test-master-key/);
      }
    });
  });

  describe("the read-only key (case 38)", () => {
    const WRITES: Attempt[] = [
      ["POST", "/classes/Thing"],
      ["PUT", "/classes/Thing/x"],
      ["DELETE", "/classes/Thing/x"],
      ["POST", "/users"],
      ["PUT", "/users/x"],
      ["DELETE", "/users/x"],
      ["POST", "/roles"],
      ["PUT", "/roles/x"],
      ["DELETE", "/sessions/x"],
      ["POST", "/installations"],
      ["POST", "/login"],
      ["POST", "/loginAs"],
      ["POST", "/logout"],
      ["POST", "/requestPasswordReset"],
      ["POST", "/verificationEmailRequest"],
      ["POST", "/upgradeToRevocableSession"],
      ["POST", "/functions/hello"],
      ["POST", "/jobs/any"],
      ["POST", "/push"],
      ["POST", "/events/Opened"],
      ["PUT", "/config"],
      ["POST", "/hooks/functions"],
      ["PUT", "/hooks/functions/x"],
      ["DELETE", "/hooks/functions/x"],
      ["POST", "/hooks/triggers"],
      ["POST", "/schemas/Stolen"],
      ["PUT", "/schemas/Thing"],
      ["DELETE", "/schemas/Thing"],
      ["DELETE", "/purge/Thing"],
      ["POST", "/classes/_JobSchedule"],
      ["POST", "/classes/_PushStatus"],
      ["DELETE", "/classes/_ApiKey/x"],
    ].map(([method, path]) => ({ method, path, codes: [119] }) as Attempt);

    it.each(WRITES.map((attempt) => [attempt.method, attempt.path, attempt] as const))(
      "is rejected for %s %s over every transport",
      async (_method, _path, attempt) => {
        for (const transport of TRANSPORTS) {
          const answer = await attackTarget.send(transport, "the read-only key", attempt);
          expect([transport, answer.code]).toEqual([transport, 119]);
        }
        await attackTarget.expectAlive();
      },
    );

    it("is rejected for file uploads on every route", async () => {
      for (const send of Object.values(FILE_REQUESTS)) {
        const answer = await send("a.txt", "text/plain", "x", { _MasterKey: READ_ONLY_KEY });
        expect([answer.status, codeOf(answer)]).toEqual([403, 119]);
      }
      const { text } = await upload("a.txt", "x", asUser());
      const { name, url } = JSON.parse(text);
      const deleted = await fetchText(`${purse.serverUrl}/files/${name}`, {
        method: "DELETE",
        headers: { "X-Parse-Application-Id": purse.appId, ...READER },
      });
      expect(codeOf(deleted)).toBe(119);
      expect((await fetchText(url)).status).toBe(200);
      await attackTarget.expectAlive();
    });
  });

  it("aggregation requires a key that may read everything (case 38)", async () => {
    const attempt: Attempt = {
      method: "GET",
      path: "/aggregate/Alive",
      params: { pipeline: [{ $match: { n: 1 } }] },
      codes: [119],
    };
    for (const transport of TRANSPORTS) {
      expect((await attackTarget.send(transport, "a user", attempt)).code).toBe(119);
      const out = { ...attempt, params: { pipeline: [{ $out: "Stolen" }] } };
      expect([102, 119]).toContain((await attackTarget.send(transport, "the read-only key", out)).code);
    }
    await attackTarget.expectAlive();
  });
});

/** Starts a server in the internal network that Purse must not call. */
async function startInternalServer(): Promise<{ url: string; requested: string[]; server: Server }> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, requested, server };
}

/** Returns the memory of a process on Linux; 0 on other systems. */
function memoryMiB(pid: number): number {
  if (process.platform !== "linux") return 0;
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
