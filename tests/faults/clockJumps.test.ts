import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { Secret, TOTP } from "otpauth";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { type Answer, type Purse, query, rest, signUp, startPurse } from "../support/purse.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MASTER = { useMasterKey: true };
const CODE = resolve(import.meta.dirname, "../fixtures/cloud/main.ts");
const LOCKED_MS = 12_000;

/** The server's own clock jumps; that of a PostgreSQL beside it does not. */
describe.each(DATABASES)("a server on %s whose clock is set", (database) => {
  let purse: Purse;
  let clockFile: string;
  let shift = 0;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-clock-"));
    clockFile = join(folder, "shift");
    set(0);
    const config = join(folder, "purse.config.mjs");
    const lockout = { threshold: 3, duration: LOCKED_MS / 60_000 };
    writeFileSync(config, `export default ${JSON.stringify({ accountLockout: lockout })};`);
    const clock = pathToFileURL(resolve(import.meta.dirname, "../support/shiftedClock.mjs")).href;
    purse = await startPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_CLOUD: CODE,
        PURSE_CONFIG: config,
        PURSE_TEST_CLOCK_FILE: clockFile,
        NODE_OPTIONS: `--import ${clock}`,
      },
    });
  });
  afterAll(() => purse?.remove());

  function set(ms: number): void {
    shift = ms;
    writeFileSync(clockFile, String(ms));
  }
  /** What the server takes for the time: with PostgreSQL that of the database. */
  const now = () => Date.now() + (database === "SQLite" ? shift : 0);

  /** An hour and a day forwards and backwards, and each time back to what it was. */
  const JUMPS = [HOUR, 0, -HOUR, 0, DAY, 0, -DAY, 0];

  /** Does something before the clock is set, and checks it whenever it has been. */
  async function acrossJumps<T>(before: () => Promise<T>, check: (made: T) => Promise<void>): Promise<void> {
    set(0);
    await settled();
    const made = await before();
    for (const to of JUMPS) {
      set(to);
      await settled();
      await check(made);
    }
  }
  /** The server looks at its clock twice a second. */
  const settled = () => new Promise((done) => setTimeout(done, 800));

  it("ends no session and lets people sign in", async () => {
    await acrossJumps(
      () => signUp(purse),
      async (user) => {
        expect((await rest(purse, "GET", "/users/me", undefined, user)).status).toBe(200);
        const again = await logIn(user.username);
        expect(again.status).toBe(200);
      },
    );
  });

  it("has a request with an id carried out once", async () => {
    const send = async (id: string, attempt: number): Promise<JsonObject> => {
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
    };
    await acrossJumps(
      async () => {
        const id = randomUUID();
        return { id, body: await send(id, 1) };
      },
      async ({ id, body }) => {
        expect(await send(id, 2)).toEqual(body);
        const found = await rest(purse, "GET", `/classes/Once${query({ where: { token: id } })}`);
        expect(found.body.results).toHaveLength(1);
      },
    );
  });

  it("lets nobody use a signed message or a code of a second factor again", async () => {
    await acrossJumps(
      async () => {
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
        return { moralisEth, user, used: mfa.token };
      },
      async ({ moralisEth, user, used }) => {
        expect((await rest(purse, "POST", "/users", { authData: { moralisEth } })).status).toBe(404);
        // 400, and 404 once that has been tried too often.
        expect((await logIn(user.username, { mfa: { token: used } })).status).toBeGreaterThanOrEqual(400);
      },
    );
  });

  it.each([HOUR, -HOUR, DAY, -DAY])(
    "by %d ms keeps an account that was locked meanwhile locked for as long as it should, and no longer",
    async (by) => {
      set(by);
      await settled();
      const user = await signUp(purse);
      const wrong = { username: user.username, password: "wrong" };
      for (let i = 0; i < 4; i++) await rest(purse, "POST", "/login", wrong);
      const lockedAt = performance.now();
      set(0);
      await settled();
      const { body } = await logIn(user.username);
      // On a machine that is too busy it may have taken longer than the account is locked.
      if (performance.now() - lockedAt < LOCKED_MS) expect(body.error).toContain("locked");
      await expect
        .poll(async () => (await logIn(user.username)).status, { timeout: LOCKED_MS * 3, interval: 500 })
        .toBe(200);
    },
  );

  it("stops no schedule and doubles no run", async () => {
    const runs = async (): Promise<number> => {
      const where = { jobName: "tick" };
      const { body } = await rest(
        purse,
        "GET",
        `/classes/_JobStatus${query({ where, count: "1", limit: "0" })}`,
        undefined,
        MASTER,
      );
      return Number(body.count);
    };
    await acrossJumps(runs, async (before) => {
      const [from, startedAt] = [await runs(), performance.now()];
      await expect.poll(runs, { timeout: 15_000 }).toBeGreaterThan(from + 1);
      const seconds = (performance.now() - startedAt) / 1_000;
      expect((await runs()) - from).toBeLessThanOrEqual(Math.ceil(seconds) + 2);
      expect(await runs()).toBeGreaterThan(before);
    });
  });

  it("tells live queries of every change once", async () => {
    const client = await connectLive(purse);
    await client.subscribe("Followed");
    const saved: unknown[] = [];
    await acrossJumps(
      async () => undefined,
      async () => {
        for (let i = 0; i < 3; i++) {
          const { body } = await rest(purse, "POST", "/classes/Followed", { i });
          saved.push(body.objectId);
        }
        await expect.poll(() => client.told.length, { timeout: 10_000 }).toBe(saved.length);
        expect(client.told.map(({ object }) => isJsonObject(object) && object.objectId)).toEqual(saved);
      },
    );
    client.socket.terminate();
  });

  it("goes on to do what one process of all does", async () => {
    for (const by of JUMPS) {
      set(by);
      await settled();
      const holds = async () => {
        const answer = await fetch(`${purse.url}/health`);
        const { leases }: { leases: unknown[] } = await answer.json();
        return leases.length;
      };
      await expect.poll(holds, { timeout: 5_000 }).toBe(1);
    }
  });

  function logIn(username: string, authData?: JsonObject): Promise<Answer> {
    return rest(purse, "POST", "/login", {
      username,
      password: "correct horse",
      ...(authData && { authData }),
    });
  }
});
