import { type AddressInfo, createServer, type Socket } from "node:net";
import { isJsonObject } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { attack, READ_ONLY_KEY } from "../support/attempts.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, query, rest, signUp } from "../support/purse.ts";
import { startPushServices } from "../support/pushServices.ts";

const MASTER = { useMasterKey: true };
/** It takes the time-outs of all services. */
const HANG = "that hang";
/** What is wrong with the services that the server calls. */
const KINDS = ["that are down", HANG, "that send invalid data"];

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

describe("an address that may not use the master key (case 37)", () => {
  // Only X-Forwarded-For of a trusted proxy is used, and no other header.
  it.each([
    ["10.9.9.9", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP"]],
    ["127.0.0.1", ["X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP"]],
  ])(
    "is not turned into an allowed one by forwarded headers if %s is the trusted proxy",
    async (proxy, headers) => {
      const purse = await hostPurse({
        env: { PURSE_MASTER_KEY_IPS: "10.0.0.1", PURSE_TRUSTED_PROXIES: proxy },
      });
      try {
        for (const header of headers) {
          const answer = await fetchText(`${purse.serverUrl}/schemas`, {
            headers: {
              "X-Parse-Application-Id": purse.appId,
              "X-Parse-Master-Key": purse.masterKey,
              [header]: header === "Forwarded" ? "for=10.0.0.1" : "10.0.0.1",
            },
          });
          expect([header, answer.status]).toEqual([header, 403]);
        }
        const client = await connectLive(purse, { masterKey: purse.masterKey }).catch(() => undefined);
        expect(client).toBeUndefined();
        expect((await fetch(`${purse.url}/health`)).status).toBe(200);
      } finally {
        await purse.remove();
      }
    },
  );
});

// Requests that wait for a service could hold all connections of PostgreSQL.
const KINDS_BY_DATABASE = DATABASES.flatMap((database) =>
  KINDS.filter((kind) => (kind === HANG ? NIGHTLY : runsEveryCase(database))).map((kind) => ({
    kind,
    database,
  })),
);

/* All services that the server calls, which are down or misbehave at the same time. */
describe("external services (case 39)", () => {
  // They wait for timeouts of the server, side by side.
  it.concurrent.each(KINDS_BY_DATABASE)(
    "$kind do not affect sign-ups, saves and other requests, on $database",
    async ({ kind, database }) => {
      const port = await startHostileNode(kind);
      const folder = await startPushServices();
      const purse = await hostPurse({
        env: {
          ...(await databaseEnv(database)),
          ...folder.env,
          PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
          PURSE_SMTP_URL: `smtp://127.0.0.1:${port.number}`,
          PURSE_VERIFY_USER_EMAILS: "1",
          PURSE_ALLOW_PRIVATE_HOOKS: "1",
          PURSE_FUNCTION_TIMEOUT_MS: "500",
          PURSE_CHAIN_ETH_RPC_URL: `http://127.0.0.1:${port.number}`,
        },
      });
      await folder.stop();
      try {
        const attackTarget = await attack(purse);
        const url = `http://127.0.0.1:${port.number}/`;
        await rest(purse, "POST", "/hooks/functions", { functionName: "far", url }, MASTER);
        expect((await rest(purse, "POST", "/functions/far", {})).body.code).toBe(141);
        await rest(
          purse,
          "POST",
          "/hooks/triggers",
          { className: "Hooked", triggerName: "beforeSave", url },
          MASTER,
        );
        expect((await rest(purse, "POST", "/classes/Hooked", { n: 1 })).body.code).toBe(141);
        expect((await rest(purse, "GET", "/classes/Hooked", undefined, MASTER)).body.results).toEqual([]);
        // A mail that cannot be sent does not prevent a sign-up.
        await signUp(purse, { email: "ann@example.org" });
        expect(
          (await rest(purse, "POST", "/requestPasswordReset", { email: "ann@example.org" })).status,
        ).toBe(200);
        const token = { installationId: "i1", deviceType: "android", deviceToken: "t", channels: ["c"] };
        await rest(purse, "POST", "/installations", token);
        expect(
          (await rest(purse, "POST", "/push", { channels: ["c"], data: { alert: "x" } }, MASTER)).body,
        ).toEqual({
          result: true,
        });
        const health: { status: string; chains: { state: string; indexed: number | null }[] } = await (
          await fetch(`${purse.url}/health`)
        ).json();
        expect(health.status).toBe("ok");
        expect(health.chains[0]?.indexed ?? null).toBeNull();
        expect(health.chains[0]?.state).not.toBe("following");
        const pendingRequest = await fetchText(`${purse.url}/api/v2/block/1?chain=eth`, {
          signal: AbortSignal.timeout(40_000),
        });
        expect(pendingRequest.status).toBe(503);
        await attackTarget.expectAlive();
      } finally {
        await purse.remove();
        port.close();
      }
    },
  );

  // What the webhook key permits does not depend on the database.
  it.each(DATABASES.filter(runsEveryCase))(
    "have no privileges when they send requests with the webhook key, on %s",
    async (database) => {
      const purse = await hostPurse({
        env: {
          ...(await databaseEnv(database)),
          PURSE_WEBHOOK_KEY: "webhook-key",
          PURSE_READ_ONLY_MASTER_KEY: READ_ONLY_KEY,
        },
      });
      try {
        const attackTarget = await attack(purse);
        const forged = {
          master: true,
          user: { objectId: attackTarget.userId, sessionToken: attackTarget.sessionToken },
          triggerName: "beforeSave",
          object: { className: "Alive", n: 7 },
        };
        for (const path of ["/functions/hello", "/classes/Alive", "/hooks/functions", "/schemas/Alive"]) {
          for (let replay = 0; replay < 2; replay++) {
            const answer = await fetchText(purse.serverUrl + path, {
              method: "POST",
              headers: {
                "X-Parse-Application-Id": purse.appId,
                "X-Parse-Webhook-Key": "webhook-key",
                "X-Purse-Signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`,
                "Content-Type": "application/json",
              },
              body: JSON.stringify(forged),
            });
            expect(answer.text).not.toContain(attackTarget.sessionToken);
            if (path.startsWith("/hooks") || path.startsWith("/schemas")) expect(codeOf(answer)).toBe(119);
          }
        }
        const where = query({ where: { n: 7 } });
        expect((await rest(purse, "GET", `/classes/Alive${where}`)).body.results).toEqual([]);
        await attackTarget.expectAlive();
      } finally {
        await purse.remove();
      }
    },
  );
});

/** Starts a server that does not respond, or sends invalid data. */
async function startHostileNode(kind: string): Promise<{ number: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (kind === HANG) return;
    const body = '{"jsonrpc":"2.0","id":1,"result":"0x5","success":{"__proto__":{"n":7}},"x":[[[[[';
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  if (kind === "that are down") close();
  return { number: port, close };
}
