import { randomUUID } from "node:crypto";
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, type DatabaseName, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { type Answer, type Purse, query, rest, signUp, startPurse } from "../support/purse.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MASTER = { useMasterKey: true };
const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const LOCKOUT_MS = 12_000;
const IS_LONG = process.env.PURSE_CLOCK_JUMPS === "all";
/** Offsets of the clock in ms, each applied and then reverted; `npm run prove:clocks` runs all of them. */
const JUMPS = IS_LONG ? [HOUR, -HOUR, DAY, -DAY] : [-DAY];
/** Tests that wait for a lockout to end. */
const LOCKED_ON = IS_LONG ? DATABASES : [];

/** A server with a clock that the tests change. */
interface ClockedServer {
  purse: Purse;
  /** Sets the clock; the server reads the file each time it needs the time. */
  set(ms: number): void;
  /** Returns the server's current time, which on PostgreSQL is the time of the database. */
  now(): number;
}

async function startClockedServer(database: DatabaseName): Promise<ClockedServer> {
  let shift = 0;
  const folder = mkdtempSync(join(tmpdir(), "purse-clock-"));
  const clockFile = join(folder, "shift");
  const set = (ms: number) => {
    shift = ms;
    writeFileSync(`${clockFile}.new`, String(ms));
    renameSync(`${clockFile}.new`, clockFile);
  };
  set(0);
  const config = join(folder, "purse.config.mjs");
  const lockout = { threshold: 3, duration: LOCKOUT_MS / 60_000 };
  writeFileSync(config, `export default ${JSON.stringify({ accountLockout: lockout })};`);
  const clock = pathToFileURL(resolve(import.meta.dirname, "../support/shiftedClock.mjs")).href;
  const purse = await startPurse({
    env: {
      ...(await databaseEnv(database)),
      PURSE_CLOUD: CODE,
      PURSE_CONFIG: config,
      PURSE_TEST_CLOCK_FILE: clockFile,
      NODE_OPTIONS: `--import ${clock}`,
    },
  });
  return { purse, set, now: () => Date.now() + (database === "SQLite" ? shift : 0) };
}

/** What was created before the clock was changed. */
interface Before {
  user: Awaited<ReturnType<typeof signUp>>;
  idempotentRequest: { id: string; body: JsonObject };
  consumed: Awaited<ReturnType<typeof consumeCredentials>>;
  runs: number;
  live: Awaited<ReturnType<typeof connectLive>>;
  followed: unknown[];
}

async function prepare(server: ClockedServer): Promise<Before> {
  const { purse } = server;
  const user = await signUp(purse);
  const id = randomUUID();
  const idempotentRequest = { id, body: await sendOnce(purse, id, 1) };
  const consumed = await consumeCredentials(server);
  const live = await connectLive(purse);
  await live.subscribe("Followed");
  return { user, idempotentRequest, consumed, runs: await runsOf(purse), live, followed: [] };
}

/** The server's own clock jumps; that of a PostgreSQL beside it does not. Both servers wait for their jobs side by side. */
describe("a server whose clock is changed", () => {
  const servers = new Map<DatabaseName, ClockedServer>();
  const serverOn = (database: DatabaseName): ClockedServer => {
    const server = servers.get(database);
    if (!server) throw new Error(`The server on ${database} has not started.`);
    return server;
  };

  beforeAll(async () => {
    for (const database of DATABASES) servers.set(database, await startClockedServer(database));
  });
  afterAll(() => Promise.all([...servers.values()].map(({ purse }) => purse.remove())));

  describe("forward or backward and reverted", () => {
    const before = new Map<DatabaseName, Before>();
    const stateOn = (database: DatabaseName): ClockedServer & { before: Before } => {
      const state = before.get(database);
      if (!state) throw new Error(`Nothing was created on ${database}.`);
      return { ...serverOn(database), before: state };
    };

    beforeAll(async () => {
      for (const [database, server] of servers) before.set(database, await prepare(server));
    });
    afterAll(() => {
      for (const { live } of before.values()) live.socket.terminate();
    });

    describe.each(JUMPS.flatMap((by) => [by, 0]).map((to, step) => ({ to, step: step + 1 })))(
      "to an offset of $to ms, as step $step",
      ({ to }) => {
        beforeAll(() => {
          for (const { set } of servers.values()) set(to);
        });

        it.concurrent.for(DATABASES)(
          "keeps sessions and accepts logins, on %s",
          async (database, { expect }) => {
            const {
              purse,
              before: { user },
            } = stateOn(database);
            expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
            expect((await logIn(purse, user.username)).status).toBe(200);
          },
        );

        it.concurrent.for(DATABASES)(
          "executes a request with an ID once, on %s",
          async (database, { expect }) => {
            const {
              purse,
              before: { idempotentRequest },
            } = stateOn(database);
            expect(await sendOnce(purse, idempotentRequest.id, 2)).toEqual(idempotentRequest.body);
            const where = query({ where: { token: idempotentRequest.id } });
            const found = await rest(purse, "GET", `/classes/Once${where}`);
            expect(found.body.results).toHaveLength(1);
          },
        );

        it.concurrent.for(DATABASES)(
          "rejects a consumed signed message and a consumed second-factor code, on %s",
          async (database, { expect }) => {
            const { purse, before } = stateOn(database);
            const { moralisEth, username, code } = before.consumed;
            expect((await rest(purse, "POST", "/users", { authData: { moralisEth } })).status).toBe(404);
            // 400, and 404 after too many attempts.
            expect((await logIn(purse, username, { mfa: { token: code } })).status).toBeGreaterThanOrEqual(
              400,
            );
          },
        );

        it.concurrent.for(DATABASES)(
          "runs scheduled jobs without gaps and without duplicates, on %s",
          async (database, { expect }) => {
            const { purse, before } = stateOn(database);
            const runs = () => runsOf(purse);
            const [from, startedAt] = [await runs(), performance.now()];
            await expect.poll(runs, { timeout: 60_000 }).toBeGreaterThan(from + 1);
            const seconds = (performance.now() - startedAt) / 1_000;
            expect((await runs()) - from).toBeLessThanOrEqual(Math.ceil(seconds) + 2);
            expect(await runs()).toBeGreaterThan(before.runs);
          },
        );

        it.concurrent.for(DATABASES)(
          "sends every change to live queries once, on %s",
          async (database, { expect }) => {
            const {
              purse,
              before: { live, followed },
            } = stateOn(database);
            for (let i = 0; i < 3; i++) {
              const { body } = await rest(purse, "POST", "/classes/Followed", { i });
              followed.push(body.objectId);
            }
            await expect.poll(() => live.received.length, { timeout: 60_000 }).toBe(followed.length);
            expect(live.received.map(({ object }) => isJsonObject(object) && object.objectId)).toEqual(
              followed,
            );
          },
        );

        it.concurrent.for(DATABASES)(
          "keeps the leases of its singleton tasks, on %s",
          async (database, { expect }) => {
            const { purse } = stateOn(database);
            const held = async () => {
              const answer = await fetch(`${purse.url}/health`);
              const { leases }: { leases: { name: string }[] } = await answer.json();
              return leases.map(({ name }) => name).sort();
            };
            await expect.poll(held).toEqual(["chain-streams", "chain-watch"]);
          },
        );
      },
    );
  });

  it.concurrent.for(LOCKED_ON)(
    `locks accounts for the configured time only, at offsets of ${JUMPS.join(", ")} ms, on %s`,
    async (database, { expect }) => {
      const { purse, set } = serverOn(database);
      const names: string[] = [];
      for (const by of JUMPS) {
        set(by);
        const { username } = await signUp(purse);
        const wrong = { username, password: "wrong" };
        for (let i = 0; i < 4; i++) await rest(purse, "POST", "/login", wrong);
        const lockedAt = performance.now();
        set(0);
        const { body } = await logIn(purse, username);
        // On a busy machine the attempts may take longer than the lockout.
        if (performance.now() - lockedAt < LOCKOUT_MS) expect(body.error).toContain("locked");
        names.push(username);
      }
      await Promise.all(
        names.map((name) =>
          expect
            .poll(async () => (await logIn(purse, name)).status, { timeout: LOCKOUT_MS * 3, interval: 500 })
            .toBe(200),
        ),
      );
    },
  );
});

async function sendOnce(purse: Purse, id: string, attempt: number): Promise<JsonObject> {
  const response = await fetch(`${purse.serverUrl}/classes/Once`, {
    method: "POST",
    headers: {
      "X-Parse-Application-Id": purse.appId,
      "X-Parse-Request-Id": id,
      "Content-Type": `text/plain${attempt > 1 ? `; attempt=${attempt}` : ""}`,
    },
    body: JSON.stringify({ token: id }),
  });
  return response.json();
}

/** Uses a signed message, and a code of a second factor. */
async function consumeCredentials({ purse, now }: ClockedServer) {
  const signer = privateKeyToAccount(generatePrivateKey());
  const { body } = await rest(purse, "POST", "/functions/requestMessage", { address: signer.address });
  const data = String(Object(body.result).message);
  const signature = await signer.signMessage({ message: data });
  const moralisEth = { id: signer.address.toLowerCase(), signature, data };
  expect((await rest(purse, "POST", "/users", { authData: { moralisEth } })).status).toBe(201);
  const user = await signUp(purse);
  const secret = new Secret().base32;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const mfa = { secret, token: totp.generate({ timestamp: now() }) };
  const enrolled = await rest(purse, "PUT", `/users/${user.id}`, { authData: { mfa } }, user);
  expect(enrolled.status).toBe(200);
  return { moralisEth, username: user.username, code: mfa.token };
}

async function runsOf(purse: Purse): Promise<number> {
  const where = query({ where: { jobName: "tick" }, count: "1", limit: "0" });
  const { body } = await rest(purse, "GET", `/classes/_JobStatus${where}`, undefined, MASTER);
  return Number(body.count);
}

function logIn(purse: Purse, username: string, authData?: JsonObject): Promise<Answer> {
  return rest(purse, "POST", "/login", {
    username,
    password: "correct horse",
    ...(authData && { authData }),
  });
}
