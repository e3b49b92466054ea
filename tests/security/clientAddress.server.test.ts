import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSocket } from "../support/liveClient.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { STUDIO_PASSWORD, StudioClient, setUpStudio } from "../support/studio.ts";

const READ_ONLY_KEY = "only-for-looking-0001";
const OPERATOR = "203.0.113.7";
type Headers = Record<string, string>;

async function start(trustedProxies: string): Promise<Purse> {
  const folder = mkdtempSync(join(tmpdir(), "purse-address-"));
  writeFileSync(
    join(folder, "main.mjs"),
    `Parse.Cloud.define("address", ({ ip }) => ip);
     Parse.Cloud.beforeSave("Seen", ({ object, ip }) => object.set("ip", ip));`,
  );
  writeFileSync(
    join(folder, "purse.config.ts"),
    `export default { rateLimits: [{ path: "/classes/Limited", windowSeconds: 60, count: 2 }] };`,
  );
  return hostPurse({
    env: {
      PURSE_TRUSTED_PROXIES: trustedProxies,
      PURSE_MASTER_KEY_IPS: `${OPERATOR},2001:db8:77::/48`,
      PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
      PURSE_METRICS_IPS: "203.0.113.0/28",
      PURSE_LIVE_SOCKETS_PER_ADDRESS: "2",
      PURSE_ADDRESS_LIMIT: "2",
      PURSE_KEY_FETCH_SECRET: "a secret of twenty characters",
      PURSE_KEY_FETCH_API_KEY: "an API key of twenty characters",
      PURSE_CLOUD: join(folder, "main.mjs"),
      PURSE_CONFIG: join(folder, "purse.config.ts"),
    },
  });
}

function send(purse: Purse, method: string, path: string, headers: Headers, body?: unknown) {
  return fetch(`${purse.url}${path}`, {
    method,
    headers: { "X-Parse-Application-Id": purse.appId, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Whether a socket may use a key. */
async function canConnect(purse: Purse, headers: Headers, masterKey: string): Promise<boolean> {
  const { socket, request: ask } = await openSocket(purse, headers);
  const answer = await ask({ op: "connect", applicationId: purse.appId, masterKey });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.close();
  await closed;
  return answer.op === "connected";
}

/** Every check that depends on the client's address, with or without a key. */
const PRIVILEGES: Record<string, (purse: Purse, headers: Headers) => Promise<boolean>> = {
  "the master key over REST": async (purse, headers) =>
    (await send(purse, "GET", "/server/schemas", { ...headers, "X-Parse-Master-Key": purse.masterKey })).ok,
  "the master key in the old envelope": async (purse, headers) => {
    const body = { _ApplicationId: purse.appId, _MasterKey: purse.masterKey, _method: "GET" };
    return (await send(purse, "POST", "/server/schemas", { ...headers, "Content-Type": "text/plain" }, body))
      .ok;
  },
  "the master key of a batch": async (purse, headers) => {
    const body = { requests: [{ method: "GET", path: "/server/schemas" }] };
    const key = { "X-Parse-Master-Key": purse.masterKey };
    return (await send(purse, "POST", "/server/batch", { ...headers, ...key }, body)).ok;
  },
  "the read-only master key": async (purse, headers) =>
    (await send(purse, "GET", "/server/schemas", { ...headers, "X-Parse-Master-Key": READ_ONLY_KEY })).ok,
  "the master key for a file": async (purse, headers) => {
    const key = { "X-Parse-Master-Key": purse.masterKey, "Content-Type": "text/plain" };
    return (await send(purse, "POST", "/server/files/a.txt", { ...headers, ...key }, "text")).ok;
  },
  "the master key of a live query": (purse, headers) => canConnect(purse, headers, purse.masterKey),
  "the master key at the data API": async (purse, headers) =>
    (await send(purse, "GET", "/api/v2/web3/version", { ...headers, "X-Parse-Master-Key": purse.masterKey }))
      .status !== 403,
  "the master key for the metrics": async (purse, headers) =>
    (await send(purse, "GET", "/metrics", { ...headers, Authorization: `Bearer ${purse.masterKey}` })).ok,
};

describe("the client address behind a trusted proxy", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await start("loopback, 10.0.0.0/8");
  });
  afterAll(() => purse?.remove());

  describe.each(Object.entries(PRIVILEGES))("restricts %s", (_name, isAllowed) => {
    it.each<[string, Headers, boolean]>([
      ["accepts the operator's address", { "X-Forwarded-For": OPERATOR }, true],
      ["accepts the operator's address with a port", { "X-Forwarded-For": `${OPERATOR}:5678` }, true],
      ["accepts the operator's address as mapped IPv6", { "X-Forwarded-For": `::ffff:${OPERATOR}` }, true],
      ["accepts the operator's IPv6 network", { "X-Forwarded-For": "[2001:db8:77:1::9]:443" }, true],
      [
        "accepts the operator's address behind two proxies",
        { "X-Forwarded-For": `${OPERATOR}, 10.1.2.3` },
        true,
      ],
      [
        "accepts the operator's address after a forged one",
        { "X-Forwarded-For": `6.6.6.6, ${OPERATOR}` },
        true,
      ],
      ["rejects another address", { "X-Forwarded-For": "6.6.6.6" }, false],
      ["rejects another address after a forged one", { "X-Forwarded-For": `${OPERATOR}, 6.6.6.6` }, false],
      ["rejects an address from an untrusted proxy", { "X-Forwarded-For": `${OPERATOR}, 11.0.0.1` }, false],
      ["rejects an address in other headers", { "X-Real-IP": OPERATOR, Forwarded: `for=${OPERATOR}` }, false],
      ["rejects an invalid address", { "X-Forwarded-For": "operator" }, false],
      [
        "rejects an invalid address after the operator's",
        { "X-Forwarded-For": `${OPERATOR}, _hidden` },
        false,
      ],
      [
        "rejects an address before a thousand proxies",
        { "X-Forwarded-For": `${OPERATOR}${", 10.0.0.1".repeat(1_000)}` },
        false,
      ],
      ["rejects the proxy's own address", {}, false],
    ])("%s", async (_title, headers, expected) => {
      expect(await isAllowed(purse, headers)).toBe(expected);
    });
  });

  it("opens the metrics without a key", async () => {
    const status = async (headers: Headers) => (await send(purse, "GET", "/metrics", headers)).status;
    expect(await status({ "X-Forwarded-For": "203.0.113.15" })).toBe(200);
    expect(await status({ "X-Forwarded-For": "203.0.113.16" })).toBe(403);
    expect(await status({ "X-Forwarded-For": "203.0.113.15, 6.6.6.6" })).toBe(403);
    expect(await status({})).toBe(403);
  });

  it("is read from several X-Forwarded-For headers in their order", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const clientRequest = request(
        `${purse.serverUrl}/functions/address`,
        { method: "POST" },
        async (response) => {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve(text);
        },
      );
      clientRequest.setHeader("X-Forwarded-For", ["6.6.6.6", "198.51.100.1", "10.0.0.2"]);
      clientRequest.on("error", reject).end();
    });
    expect(answer).toBe('{"result":"198.51.100.1"}');
  });

  it("is passed to cloud code, triggers and batch requests", async () => {
    const headers = { "X-Forwarded-For": "6.6.6.6, ::ffff:198.51.100.1" };
    const answer = await send(purse, "POST", "/server/functions/address", headers, {});
    expect(await answer.json()).toEqual({ result: "198.51.100.1" });
    const requests = [
      { method: "POST", path: "/server/functions/address", body: {} },
      { method: "POST", path: "/server/classes/Seen", body: {} },
    ];
    const [called, saved] = await (await send(purse, "POST", "/server/batch", headers, { requests })).json();
    expect(called.success).toEqual({ result: "198.51.100.1" });
    const seen = await send(purse, "GET", `/server/classes/Seen/${saved.success.objectId}`, {});
    expect((await seen.json()).ip).toBe("198.51.100.1");
  });

  /** Limits by address: each sends one request and returns whether it was accepted. */
  const LIMITS: Record<string, (headers: Headers) => Promise<boolean>> = {
    "the rate limits": async (headers) =>
      (await send(purse, "POST", "/server/classes/Limited", headers, {})).status !== 429,
    "the requests of a batch": async (headers) => {
      const requests = [{ method: "POST", path: "/server/classes/Limited", body: {} }];
      const [part] = await (await send(purse, "POST", "/server/batch", headers, { requests })).json();
      return part.success !== undefined;
    },
    "the data API": async (headers) =>
      (await send(purse, "GET", "/api/v2/web3/version", headers)).status !== 429,
  };
  let clients = 0;
  it.each(Object.entries(LIMITS))("separates the counters of clients for %s", async (_name, isLetIn) => {
    clients += 2;
    const [ann, bob] = [
      { "X-Forwarded-For": `192.0.2.${clients}` },
      { "X-Forwarded-For": `192.0.2.${clients + 1}` },
    ];
    expect([await isLetIn(ann), await isLetIn(ann), await isLetIn(ann)]).toEqual([true, true, false]);
    expect([await isLetIn(bob), await isLetIn(bob), await isLetIn(bob)]).toEqual([true, true, false]);
    // A forged address before the real one is ignored, and an IPv6 network counts as one address.
    const forged = { "X-Forwarded-For": `1.2.3.4, ${bob["X-Forwarded-For"]}` };
    expect(await isLetIn(forged)).toBe(false);
    const v6 = (end: number) => ({ "X-Forwarded-For": `2001:db8:${clients}::${end}` });
    expect([await isLetIn(v6(1)), await isLetIn(v6(2)), await isLetIn(v6(3))]).toEqual([true, true, false]);
  });

  it("separates the socket counters of clients", async () => {
    const open = async (address: string) => {
      const opened = openSocket(purse, { "X-Forwarded-For": address });
      return opened.then(({ socket }) => socket).catch(() => undefined);
    };
    const sockets = [await open("198.51.100.9"), await open("6.6.6.6, 198.51.100.9")];
    expect(sockets.every((socket) => socket !== undefined)).toBe(true);
    expect(await open("198.51.100.9")).toBeUndefined();
    const other = await open("198.51.100.10");
    expect(other).toBeDefined();
    for (const socket of [...sockets, other]) socket?.terminate();
  });

  it("separates the counters of clients that fetch keys with a wrong secret", async () => {
    const tryOne = async (address: string) =>
      (
        await send(purse, "GET", "/api/publics/apiKeys", {
          "moralis-secret": "wrong",
          "X-Forwarded-For": address,
        })
      ).status;
    const attempts = [];
    for (let i = 0; i < 31; i++) attempts.push(await tryOne("198.51.100.20"));
    expect(attempts).toEqual([...Array(30).fill(403), 429]);
    expect(await tryOne("198.51.100.21")).toBe(403);
  });

  it("separates the counters of studio sign-ins, and appears in sessions and the audit trail", async () => {
    const owner = await setUpStudio(purse);
    const at = (address: string) => ({ "X-Forwarded-For": address });
    const signIn = (address: string, password = "wrong wrong wrong") =>
      new StudioClient(purse).request(
        "POST",
        "/session",
        { username: `nobody-${address}`, password },
        at(address),
      );
    const codes = [];
    for (let i = 0; i < 31; i++) codes.push((await signIn("198.51.100.30")).status);
    expect(codes.filter((status) => status === 401)).toHaveLength(10);
    const other = new StudioClient(purse);
    const body = { username: "ada", password: STUDIO_PASSWORD };
    expect((await other.request("POST", "/session", body, at("198.51.100.30"))).status).toBe(429);
    expect((await other.request("POST", "/session", body, at("6.6.6.6, 198.51.100.31"))).status).toBe(201);
    const sessions = await owner.request("GET", "/sessions");
    expect(JSON.stringify(sessions.body.results)).toContain('"address":"198.51.100.31"');
    const trail = await owner.request("GET", "/audit");
    expect(JSON.stringify(trail.body.results)).toContain('"address":"198.51.100.31"');
  });
});

describe("the client address behind an untrusted proxy", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await start("10.0.0.1");
  });
  afterAll(() => purse?.remove());

  it.each(Object.entries(PRIVILEGES))(
    "is the proxy's, whatever headers it forwards, for %s",
    async (_name, isAllowed) => {
      for (const header of ["X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP"]) {
        expect(await isAllowed(purse, { [header]: OPERATOR })).toBe(false);
      }
    },
  );

  it("is the proxy's for limits and cloud code, with one warning in the log", async () => {
    for (let i = 1; i <= 3; i++) {
      const headers = { "X-Forwarded-For": `198.51.100.${i}` };
      const limited = await send(purse, "POST", "/server/classes/Limited", headers, {});
      expect(limited.status).toBe(i <= 2 ? 201 : 429);
      const reply = await send(purse, "POST", "/server/functions/address", headers, {});
      expect(await reply.json()).toEqual({ result: "127.0.0.1" });
    }
    expect(purse.output().match(/X-Forwarded-For is ignored/g)).toHaveLength(1);
  });
});
