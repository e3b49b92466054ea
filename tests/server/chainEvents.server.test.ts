import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { erc20Abi, type Hex, pad, toEventSelector } from "viem";
import { afterAll, beforeAll, beforeEach, describe, type ExpectStatic, it, vi } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };
const KEY = "webhook-key";
const TRANSFER = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");

interface Heard {
  headers: IncomingHttpHeaders;
  text: string;
  body: { event: string; sequence: number; object: JsonObject };
}

async function listener(): Promise<{
  url: string;
  heard: Heard[];
  refusing: boolean;
  refused: number;
  server: Server;
}> {
  const state = { url: "", heard: [] as Heard[], refusing: false, refused: 0, server: createServer() };
  state.server.on("request", async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    if (state.refusing) state.refused += 1;
    else state.heard.push({ headers: request.headers, text, body: JSON.parse(text) });
    response.writeHead(state.refusing ? 503 : 204).end();
  });
  state.url = `${await listen(state.server)}/events`;
  return state;
}

/** A webhook server that never responds, at `/flood` with an endless body. */
async function stuckServer(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    if (request.url !== "/flood") return;
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  });
  return { url: await listen(server), server };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

// On both databases concurrently, because most of the time is spent waiting for blocks to be indexed, which happens each second.
describe.each(DATABASES)("stored chain events", { concurrent: true }, (database) => {
  describe(`on ${database}`, { concurrent: false }, () => testStoredEvents(database));
});

function testStoredEvents(database: (typeof DATABASES)[number]): void {
  /** Of the current test on this database. */
  let expect: ExpectStatic;
  let purse: Purse;
  let hand: ChainClient;
  let stuck: { url: string; server: Server };

  beforeAll(async () => {
    const cloud = join(tmpdir(), `purse-watch-${process.pid}-${database}.mjs`);
    writeFileSync(
      cloud,
      `Parse.Cloud.afterSave("Transfers", async ({ object, original }) => {
         if (original) return;
         const seen = new Parse.Object("Seen");
         await seen.save({ of: object.id, confirmed: object.get("confirmed") }, { useMasterKey: true });
       });
       Parse.Cloud.beforeSave("Chosen", ({ object }) => {
         if (object.get("value") === "13") throw "unlucky";
         object.set("lucky", true);
       });
       Parse.Cloud.watchWallet({ chainId: 1337, address: "0xa0ee7a142d267c1f36714e4a8f75612f20a79720", tableName: "OfNine" });`,
    );
    const env = {
      ...(await databaseEnv(database)),
      PURSE_WEBHOOK_KEY: KEY,
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
      PURSE_CLOUD: cloud,
    };
    purse = await hostPurse({ devChain: true, env });
    hand = await createChainClient(purse);
    stuck = await stuckServer();
  });
  afterAll(async () => {
    await purse?.remove();
    if (stuck) close(stuck.server);
  });
  beforeEach((context) => {
    expect = context.expect;
  });

  const watch = (options: object) =>
    rest(
      purse,
      "POST",
      "/functions/watchContractEvent",
      {
        chainId: "0x539",
        address: hand.token,
        topic: "Transfer(address, address, uint256)",
        abi: TRANSFER,
        ...options,
      },
      MASTER,
    );
  async function watchesOf(tableName: string): Promise<unknown[]> {
    const path = `/classes/_ChainWatch${query({ where: { tableName } })}`;
    return Object((await rest(purse, "GET", path, undefined, MASTER)).body).results;
  }
  async function found(className: string, where: object = {}): Promise<JsonObject[]> {
    const { body } = await rest(purse, "GET", `/classes/${className}${query({ where, limit: 1000 })}`);
    return Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
  }
  const until = async (className: string, where: object, count: number) => {
    await expect.poll(async () => (await found(className, where)).length, { timeout: 15_000 }).toBe(count);
    return found(className, where);
  };

  let probes = 1_000n;
  /** Sends transfers until one is stored in each table, because a watch starts with the next block that it sees. */
  async function untilBegun(to: Hex, ...tableNames: string[]): Promise<void> {
    for (let attempts = 0; attempts < 30; attempts++) {
      const value = ++probes;
      await hand.transferToken(0, to, value);
      const storing = vi.waitFor(
        async () => {
          const stored = await Promise.all(tableNames.map((name) => found(name, { value: String(value) })));
          if (stored.some((objects) => objects.length === 0)) throw new Error("not yet");
        },
        { timeout: 1_000, interval: 50 },
      );
      const isStored = await storing.then(
        () => true,
        () => false,
      );
      if (isStored) return;
    }
    throw new Error(`The watch of ${tableNames.join(" or ")} has not begun`);
  }
  /** Returns an unused table name for each attempt of a test. */
  let tables = 0;
  const newTable = (name: string) => `${name}${++tables}`;

  // These do not depend on the database either. Time passes until both are reported, at the end.
  it.runIf(runsEveryCase(database))(
    "reach other webhooks while one webhook server hangs or floods",
    async () => {
      const filter = { eq: ["to", hand.account(8)] };
      const other = await listener();
      const [hanging, flooding, prompt] = [newTable("Hanging"), newTable("Flooding"), newTable("Prompt")];
      await watch({ tableName: hanging, webhook: `${stuck.url}/hang`, filter });
      await watch({ tableName: flooding, webhook: `${stuck.url}/flood`, filter });
      await watch({ tableName: prompt, webhook: other.url, filter });
      await untilBegun(hand.account(8), hanging, flooding, prompt);
      const before = (await found(prompt)).length;
      const hung = (await found(hanging)).length;
      await expect.poll(() => other.heard.length, { timeout: 15_000 }).toBe(before);
      for (let i = 1; i <= 5; i++) {
        await hand.transferToken(0, hand.account(8), BigInt(i));
        await expect.poll(() => other.heard.length - before, { timeout: 15_000 }).toBe(i);
      }
      await until(hanging, {}, hung + 5);
      close(other.server);
    },
    120_000,
  );

  it("become objects of past blocks on request and of each new block", async () => {
    expect((await watch({ tableName: "Transfers", sync_historical: true, confirmations: 3 })).body).toEqual({
      result: { success: true, objectId: expect.any(String) },
    });
    await expect.poll(async () => (await found("Transfers")).length, { timeout: 15_000 }).toBeGreaterThan(5);
    const hash: Hex = await hand.transferToken(0, hand.account(3), 77n);
    const [object] = await until("Transfers", { transaction_hash: hash }, 1);
    expect(object).toMatchObject({
      chain_id: 1337,
      address: hand.token,
      log_index: 0,
      block_number: expect.any(Number),
      block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      block_timestamp: { __type: "Date", iso: expect.any(String) },
      from: hand.account(0),
      to: hand.account(3),
      value: "77",
      value_decimal: 77,
      confirmed: false,
      ACL: { "*": { read: true } },
    });
    await hand.mine(3);
    await until("Transfers", { transaction_hash: hash, confirmed: true }, 1);
    // Cloud code was called once for each.
    const all = await found("Transfers");
    await expect.poll(async () => (await found("Seen")).length).toBe(all.length);
    expect(new Set((await found("Seen")).map(({ of }) => of)).size).toBe(all.length);
  });

  it("can only be created, changed and watched with the master key", async () => {
    const user = await signUp(purse);
    const [object] = await found("Transfers");
    const path = `/classes/Transfers/${object?.objectId}`;
    const watches = async () => {
      const { body } = await rest(purse, "GET", "/classes/_ChainWatch?count=1&limit=0", undefined, MASTER);
      return Number(body.count);
    };
    const [made, watched] = [(await found("Transfers")).length, await watches()];
    const tries: [method: string, path: string, body: object | undefined, code: number][] = [
      ["POST", "/classes/Transfers", { value: "1" }, 119],
      ["PUT", path, { value: "1" }, 119],
      ["DELETE", path, undefined, 119],
      ["POST", "/classes/_ChainWatch", { tableName: "X" }, 119],
      ["GET", "/classes/_ChainMessage", undefined, 119],
      ["POST", "/functions/watchContractEvent", { tableName: "X", address: hand.token }, 119],
      ["POST", "/functions/watchAddress", { address: hand.token }, 119],
    ];
    for (const credentials of [{}, user]) {
      for (const [method, where, body, code] of tries) {
        const answer = await rest(purse, method, where, body, credentials);
        expect([method, where, answer.status < 500, answer.body.code]).toEqual([method, where, true, code]);
      }
    }
    expect(await found("Transfers", { objectId: object?.objectId })).toEqual([object]);
    expect([(await found("Transfers")).length, await watches()]).toEqual([made, watched]);
  });

  it("are watched by options as text, as a query string has them", async () => {
    const tableName = newTable("AsText");
    const abi = JSON.stringify(TRANSFER).replaceAll("uint256", "uint");
    const filter = JSON.stringify({ ne: ["value", "0"] });
    const { body } = await watch({ tableName, abi, filter, sync_historical: "true", confirmations: "1" });
    expect(body.result).toMatchObject({ success: true });
    const [stored] = await watchesOf(tableName);
    expect(stored).toMatchObject({ sync_historical: true, confirmations: 1, filter: { ne: ["value", "0"] } });
    await hand.transferToken(0, hand.account(1), 17n);
    await until(tableName, { value: "17" }, 1);

    expect((await watch({ tableName, abi, filter })).body).toEqual(body);
    expect((await watch({ tableName, abi, filter, confirmations: 5 })).body).toEqual({
      code: 142,
      error: `Invalid watch: ${tableName} has it already, with another confirmations: call unwatchContractEvent first`,
    });
  });

  it("are sent in order to live queries and signed webhooks, also after an outage, and retracted", async () => {
    const tableName = newTable("Told");
    const other = await listener();
    await watch({ tableName, webhook: other.url, filter: { eq: ["to", hand.account(6)] } });
    await untilBegun(hand.account(6), tableName);
    const begun = (await found(tableName)).length;
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(begun);
    other.heard.length = 0;
    const live = await connectLive(purse);
    await live.subscribe(tableName);
    await hand.transferTokens([
      [0, hand.account(5), 1n],
      [0, hand.account(6), 2n],
    ]);
    expect(await live.next()).toMatchObject({ op: "create", object: { value: "2", to: hand.account(6) } });
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(1);
    const [message] = other.heard;
    const [, time, signature] =
      /^t=(\d+),v1=([0-9a-f]+)$/.exec(String(message?.headers["x-purse-signature"])) ?? [];
    expect(signature).toBe(createHmac("sha256", KEY).update(`${time}.${message?.text}`).digest("hex"));

    other.refusing = true;
    await hand.transferTokens([
      [0, hand.account(6), 3n],
      [0, hand.account(6), 4n],
    ]);
    expect(await live.next()).toMatchObject({ op: "create", object: { value: "3" } });
    expect(await live.next()).toMatchObject({ op: "create", object: { value: "4" } });
    await expect.poll(() => other.refused).toBeGreaterThan(1);
    other.refusing = false;
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(3);

    await hand.reorganize(1);
    await hand.mine(1);
    expect(await live.next()).toMatchObject({ op: "delete", object: { value: "4" } });
    await expect.poll(() => other.heard.length, { timeout: 20_000 }).toBe(4);
    expect(other.heard.map(({ body }) => [body.sequence - begun, body.event, body.object.value])).toEqual([
      [0, "created", "2"],
      [1, "created", "3"],
      [2, "created", "4"],
      [3, "removed", "4"],
    ]);
    live.socket.terminate();

    // Delivered messages remain listed and can be resent.
    const messages = async () => {
      const where = { url: other.url, sequence: { $gte: begun } };
      const path = `/classes/_ChainMessage${query({ where, order: "sequence" })}`;
      const { body } = await rest(purse, "GET", path, undefined, MASTER);
      return Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
    };
    await expect
      .poll(async () => (await messages()).map(({ status }) => status), { timeout: 20_000 })
      .toEqual(Array(4).fill("delivered"));
    const rows = await messages();
    expect(Number(rows[1]?.attempts)).toBeGreaterThan(1);
    await rest(purse, "PUT", `/classes/_ChainMessage/${rows[0]?.objectId}`, { status: "waiting" }, MASTER);
    await expect.poll(() => other.heard.at(-1)?.text, { timeout: 20_000 }).toBe(message?.text);
    close(other.server);
  }, 120_000);

  it("pass the triggers of their class, which may reject them", async () => {
    await watch({ tableName: "Chosen" });
    await untilBegun(hand.account(4), "Chosen");
    await hand.transferTokens([
      [0, hand.account(4), 13n],
      [0, hand.account(4), 14n],
    ]);
    const [chosen, ...others] = await until("Chosen", { value: "14" }, 1);
    expect(chosen).toMatchObject({ lucky: true });
    expect(others).toEqual([]);
    expect(await found("Chosen", { value: "13" })).toEqual([]);
  });

  // These do not depend on the database.
  if (!runsEveryCase(database)) return;

  it("are rejected with a reason for invalid options", async () => {
    for (const [options, reason] of [
      [{ tableName: "_User" }, /tableName/],
      [{ tableName: "A", chainId: "0x999" }, /chain/],
      [{ tableName: "A", address: "0x12" }, /address/],
      [{ tableName: "A", topic: "Burnt(address)" }, /abi must contain/],
      [{ tableName: "A", filter: { near: ["x", 1] } }, /there is no near/],
      [{ tableName: "A", filter: { eq: ["sender", "0x0"] } }, /no sender/],
      [{ tableName: "A", abi: null, topic: null }, /topic or abi/],
      [{ tableName: "A", webhook: "file:///etc/passwd" }, /webhook/],
    ] as const) {
      const { status, body } = await watch(options);
      expect(status).toBe(400);
      expect(body.error).toMatch(reason);
    }
  });

  it("have an argument called id as uid, and a confirmation at once on a local chain", async () => {
    const inputs = [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "id", type: "uint256", indexed: false },
    ];
    const abi = { type: "event", name: "Transfer", inputs };
    await watch({ tableName: "Proposals", abi, sync_historical: true });
    const hash = await hand.transferToken(0, hand.account(7), 31n);
    const [stored] = await until("Proposals", { uid: "31", uid_decimal: 31 }, 1);
    expect(stored).toMatchObject({ transaction_hash: hash, confirmed: true });
    expect(stored).not.toHaveProperty("id");
  });

  it("are stored as logs without an ABI, until the table is no longer watched", async () => {
    await watch({ tableName: "Logs", abi: undefined, sync_historical: true });
    const hash = await hand.transferToken(0, hand.account(7), 32n);
    const [log] = await until("Logs", { transaction_hash: hash }, 1);
    expect(log).toMatchObject({
      address: hand.token,
      topic0: toEventSelector("Transfer(address,address,uint256)"),
      topic2: pad(hand.account(7)),
      data: pad("0x20"),
      transaction_index: 0,
    });

    const unwatch = (body: object, credentials: object = MASTER) =>
      rest(purse, "POST", "/functions/unwatchContractEvent", body, credentials);
    expect((await unwatch({ tableName: "Logs" }, await signUp(purse))).body.code).toBe(119);
    expect((await unwatch({ tableName: "Logs" })).body).toEqual({ result: { success: true } });
    expect((await unwatch({ tableName: "Logs" })).body).toEqual({ code: 101, error: "Logs is not watched" });
    expect((await unwatch({ tableName: "OfNine" })).body.error).toMatch(/remove it there/);
    await hand.transferToken(0, hand.account(7), 33n);
    await until("Proposals", { uid: "33" }, 1);
    expect((await found("Logs", { data: pad("0x21") })).length).toBe(0);
  });

  it("are reported if they cannot be sent because a webhook server hangs or floods", async () => {
    const problems = async () => {
      const url = { $regex: `^${stuck.url}/` };
      const where = { url, status: "waiting", error: { $exists: true } };
      const path = `/classes/_ChainMessage${query({ where })}`;
      const { body } = await rest(purse, "GET", path, undefined, MASTER);
      const rows = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
      return new Set(rows.map(({ url }) => String(url).replace(/.*\//, "")));
    };
    await expect.poll(problems, { timeout: 20_000 }).toEqual(new Set(["hang", "flood"]));
  });

  it("are stored for a wallet watched by cloud code: transactions and tokens", async () => {
    const nine = hand.account(9);
    await hand.transferTokens([
      [0, nine, 5n],
      [9, hand.account(0), 2n],
    ]);
    const sent = await until("OfNine", { kind: "erc20" }, 2);
    expect(sent.map(({ from_address, value }) => [from_address, value]).sort()).toEqual(
      [
        [hand.account(0), "5"],
        [nine, "2"],
      ].sort(),
    );
    const [transaction] = await until("OfNine", { kind: "native" }, 1);
    expect(transaction).toMatchObject({
      from_address: nine,
      to_address: hand.token,
      value: "0",
      succeeded: true,
    });
  });
}
