import { createECDH, generateKeyPairSync, randomBytes, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { decrypt } from "http_ece";
import { importSPKI, jwtVerify } from "jose";
import webPush from "web-push";

/** A received push message. */
export interface Received {
  token: string;
  headers: Record<string, unknown>;
  body: JsonObject;
}

export interface PushService {
  url: string;
  received: Received[];
  /** The tokens to reject, with status and response. */
  refuse: Map<string, { status: number; handleRequest?: object }>;
  stop(): Promise<void>;
}

/** Push services of all kinds, and the settings of a server that uses them. */
export interface PushServices {
  env: Record<string, string>;
  browsers: Browsers;
  fcm: Fcm;
  apns: Apns;
  stop(): Promise<void>;
}

export async function startPushServices(): Promise<PushServices> {
  const vapid = webPush.generateVAPIDKeys();
  const [browsers, fcm, apns] = await Promise.all([startBrowsers(vapid.publicKey), startFcm(), startApns()]);
  const push = {
    webPush: { subject: "mailto:push@example.org", ...vapid, services: [browsers.url] },
    fcm: { serviceAccount: fcm.serviceAccount, endpoint: fcm.url },
    apns: {
      keyId: "KEY1234567",
      teamId: "TEAM123456",
      privateKey: apns.privateKey,
      topic: "org.example.app",
      endpoint: apns.url,
    },
  };
  const folder = mkdtempSync(join(tmpdir(), "purse-config-"));
  const file = join(folder, "purse.config.ts");
  writeFileSync(file, `export default ${JSON.stringify({ push })};`);
  return {
    env: { PURSE_CONFIG: file },
    browsers,
    fcm,
    apns,
    async stop() {
      await Promise.all([browsers.stop(), fcm.stop(), apns.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** A Web Push service with its browsers: verifies VAPID (RFC 8292) and decrypts messages (RFC 8291). */
export interface Browsers extends PushService {
  /** A new browser's PushSubscription as JSON text. */
  subscribe(name: string): string;
}

export async function startBrowsers(vapidPublicKey: string): Promise<Browsers> {
  const service = newService();
  const keys = new Map<string, { ecdh: ReturnType<typeof createECDH>; auth: string }>();
  const server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    handleRequest(request, name, async (bytes) => {
      await assertVapid(String(request.headers.authorization), vapidPublicKey, service.url);
      const refused = service.refuse.get(name);
      if (refused) return refused;
      const own = keys.get(name);
      if (!own || request.headers["content-encoding"] !== "aes128gcm" || !request.headers.ttl)
        return { status: 400 };
      const plain = decrypt(bytes, { version: "aes128gcm", privateKey: own.ecdh, authSecret: own.auth });
      service.received.push({ token: name, headers: request.headers, body: JSON.parse(plain.toString()) });
      return { status: 201 };
    }).then(({ status, handleRequest = {} }) =>
      response.writeHead(status).end(JSON.stringify(handleRequest)),
    );
  });
  await listen(server, service);
  return {
    ...service,
    get url() {
      return service.url;
    },
    subscribe(name) {
      const ecdh = createECDH("prime256v1");
      ecdh.generateKeys();
      const auth = randomBytes(16).toString("base64url");
      keys.set(name, { ecdh, auth });
      const p256dh = ecdh.getPublicKey("base64url");
      return JSON.stringify({
        endpoint: `${service.url}/${name}`,
        expirationTime: null,
        keys: { p256dh, auth },
      });
    },
    stop: () => close(server),
  };
}

async function assertVapid(authorization: string, publicKey: string, audience: string): Promise<void> {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error("the VAPID key is another");
  const bytes = Buffer.from(key, "base64url");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const verifying = await webcrypto.subtle.importKey("raw", bytes, algorithm, true, ["verify"]);
  const { payload } = await jwtVerify(token, verifying, { audience });
  if (!String(payload.sub).startsWith("mailto:")) throw new Error("the VAPID token names no one");
}

export interface Fcm extends PushService {
  /** As in the JSON file of the Firebase console. */
  serviceAccount: JsonObject;
  /** Number of requested access tokens. */
  tokens(): number;
}

/** FCM's HTTP v1 API and its token endpoint. */
export async function startFcm(): Promise<Fcm> {
  const service = newService();
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let tokens = 0;
  const server = createServer((request, response) => {
    handleRequest(request, request.url ?? "", async (bytes) => {
      if (request.url === "/token") {
        const form = new URLSearchParams(bytes.toString());
        const key = await importSPKI(
          pair.publicKey.export({ type: "spki", format: "pem" }).toString(),
          "RS256",
        );
        const { payload } = await jwtVerify(form.get("assertion") ?? "", key, {
          audience: `${service.url}/token`,
          issuer: "push@test.example",
        });
        if (!String(payload.scope).endsWith("firebase.messaging")) return { status: 400 };
        tokens += 1;
        return { status: 200, handleRequest: { access_token: `access-${tokens}`, expires_in: 3_600 } };
      }
      if (request.url !== "/v1/projects/test-project/messages:send") return { status: 404 };
      const [, access = ""] = /^Bearer access-(\d+)$/.exec(String(request.headers.authorization)) ?? [];
      if (!(Number(access) > 0 && Number(access) <= tokens)) return { status: 401 };
      const { message }: { message: JsonObject } = JSON.parse(bytes.toString());
      const token = String(message.token);
      const refused = service.refuse.get(token);
      if (refused) return refused;
      service.received.push({ token, headers: request.headers, body: message });
      return { status: 200, handleRequest: { name: "projects/test-project/messages/1" } };
    }).then(({ status, handleRequest = {} }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(handleRequest)),
    );
  });
  await listen(server, service);
  return {
    ...service,
    get url() {
      return service.url;
    },
    serviceAccount: {
      type: "service_account",
      project_id: "test-project",
      client_email: "push@test.example",
      private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      token_uri: `${service.url}/token`,
    },
    tokens: () => tokens,
    stop: () => close(server),
  };
}

export interface Apns extends PushService {
  /** `.p8`, PEM. */
  privateKey: string;
}

/** APNs: HTTP/2 with provider tokens. */
export async function startApns(): Promise<Apns> {
  const service = newService();
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = await importSPKI(pair.publicKey.export({ type: "spki", format: "pem" }).toString(), "ES256");
  const server = createHttp2Server();
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", async () => {
      const reply = (status: number, body?: object) => {
        stream.respond({ ":status": status });
        stream.end(body && JSON.stringify(body));
      };
      const token = String(headers[":path"]).replace("/3/device/", "");
      const [, jwt = ""] = /^bearer (.+)$/.exec(String(headers.authorization)) ?? [];
      const verified = await jwtVerify(jwt, key, { issuer: "TEAM123456", maxTokenAge: "1h" }).catch(
        () => undefined,
      );
      if (verified?.protectedHeader.kid !== "KEY1234567")
        return reply(403, { reason: "InvalidProviderToken" });
      if (headers["apns-topic"] !== "org.example.app") return reply(400, { reason: "BadTopic" });
      const refused = service.refuse.get(token);
      if (refused) return reply(refused.status, refused.handleRequest);
      service.received.push({ token, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      reply(200);
    });
  });
  await listen(server, service);
  return {
    ...service,
    get url() {
      return service.url;
    },
    privateKey: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    async stop() {
      for (const session of sessions) session.destroy();
      await close(server);
    },
  };
}

function newService(): Omit<PushService, "stop"> {
  return { url: "", received: [], refuse: new Map() };
}

type Answer = { status: number; handleRequest?: object };

/** Handles a POST request; responds with 403 if the handler throws. */
async function handleRequest(
  request: IncomingMessage,
  context: string,
  handle: (body: Buffer) => Promise<Answer>,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return request.method === "POST" ? await handle(Buffer.concat(chunks)) : { status: 405 };
  } catch (error) {
    return { status: 403, handleRequest: { error: { message: `${context}: ${String(error)}` } } };
  }
}

interface Listening {
  listen(port: number, host: string, done: () => void): unknown;
  address(): AddressInfo | string | null;
}

async function listen(server: Listening, service: { url: string }): Promise<void> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  service.url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

function close(server: { close(done: () => void): unknown; closeAllConnections?(): void }): Promise<void> {
  server.closeAllConnections?.();
  return new Promise((done) => server.close(() => done()));
}
