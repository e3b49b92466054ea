import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Address, erc20Abi, type Hex, keccak256, pad, stringToBytes, toHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, type ExpectStatic, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { DATABASES, databaseEnv, runsEveryCase } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhookReceiver.ts";

const SECRET = "streams-secret";
const TRANSFER = "Transfer(address,address,uint256)";
const WAIT = { timeout: 60_000 };
const abi = erc20Abi.filter((entry) => entry.type === "event");

// On both databases concurrently, because most of the time is spent waiting for blocks to be indexed, which happens each second.
describe.each(DATABASES)("streams", { concurrent: true }, (database) => {
  describe(`on ${database}`, { concurrent: false }, () => testStreams(database));
});

function testStreams(database: (typeof DATABASES)[number]): void {
  /** Of the current test on this database. */
  let expect: ExpectStatic;
  let purse: Purse;
  let chain: ChainClient;
  let receiver: WebhookReceiver;
  let env: Record<string, string>;
  const streams: string[] = [];

  beforeAll(async () => {
    env = {
      ...(await databaseEnv(database)),
      PURSE_STREAMS_SECRET: SECRET,
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
    };
    purse = await hostPurse({ devChain: true, env });
    chain = await createChainClient(purse);
  }, 120_000);
  afterAll(async () => {
    await purse?.remove();
  });
  beforeEach(async (context) => {
    expect = context.expect;
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    for (const id of streams.splice(0)) await api("DELETE", `/streams/evm/${id}`);
    await receiver.close();
  });

  async function api(method: string, path: string, body?: object, key = purse.masterKey) {
    const response = await fetch(`${purse.url}/api/v2${path}`, {
      method,
      headers: { "content-type": "application/json", "x-api-key": key },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: JsonObject = await response.json();
    return { status: response.status, body: answer };
  }

  /** Creates a stream of the local chain, optionally with addresses. Returns its id. */
  async function stream(options: object, addresses: readonly Address[] = []): Promise<string> {
    const { status, body } = await api("PUT", "/streams/evm", {
      webhookUrl: receiver.url,
      description: "a test",
      tag: "test",
      chainIds: ["0x539"],
      ...options,
    });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "active" } });
    const id = String(body.id);
    streams.push(id);
    if (addresses.length > 0) {
      const added = await api("POST", `/streams/evm/${id}/address`, { address: addresses });
      expect(added.status).toBe(200);
    }
    return id;
  }

  /** The messages of a stream so far. */
  const messages = (id: string, confirmed?: boolean) =>
    receiver.received
      .map(({ body }) => body)
      .filter((body) => body.streamId === id && (confirmed === undefined || body.confirmed === confirmed));

  async function untilMessages(id: string, count: number, confirmed?: boolean): Promise<JsonObject[]> {
    await expect.poll(() => messages(id, confirmed).length, WAIT).toBeGreaterThanOrEqual(count);
    return messages(id, confirmed);
  }

  const listOf = (message: JsonObject | undefined, name: string): JsonObject[] => {
    const list = message?.[name];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  };
  const hashesOf = (all: JsonObject[], name: string, field = "transactionHash") =>
    all.flatMap((message) => listOf(message, name).map((entry) => entry[field]));

  it("send transfers of their addresses with Moralis signatures, unconfirmed and then confirmed", async () => {
    const id = await stream(
      { topic0: [TRANSFER], abi, includeContractLogs: true, includeNativeTxs: true, confirmations: 3 },
      [chain.account(5)],
    );
    const [, hash] = await chain.transferTokens([
      [0, chain.account(6), 5n],
      [0, chain.account(5), 1_234n],
    ]);
    const [message] = await untilMessages(id, 1, false);
    expect(message).toMatchObject({
      confirmed: false,
      chainId: "0x539",
      streamId: id,
      tag: "test",
      retries: 0,
      block: {
        number: expect.stringMatching(/^\d+$/),
        hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        timestamp: expect.stringMatching(/^\d+$/),
      },
      logs: [
        {
          logIndex: "0",
          transactionHash: hash,
          address: chain.token,
          data: pad(toHex(1_234n)),
          topic1: pad(chain.account(0)),
          topic2: pad(chain.account(5)),
          topic3: null,
        },
      ],
      erc20Transfers: [
        {
          transactionHash: hash,
          logIndex: "0",
          contract: chain.token,
          from: chain.account(0),
          to: chain.account(5),
          value: "1234",
          tokenName: expect.stringMatching(/./),
          tokenSymbol: expect.stringMatching(/./),
          tokenDecimals: expect.stringMatching(/^\d+$/),
          valueWithDecimals: expect.stringMatching(/^0\.0*1234$/),
        },
      ],
      txs: [],
      erc20Approvals: [],
      nftTransfers: [],
    });
    await chain.mine(3);
    const [confirmed] = await untilMessages(id, 1, true);
    expect(confirmed).toEqual({ ...message, confirmed: true });
    expect(messages(id)).toHaveLength(2);
    for (const { headers, text, body } of receiver.received) {
      // Like Moralis' verifySignature: web3.utils.sha3(JSON.stringify(body) + secret).
      expect(headers["x-signature"]).toBe(keccak256(stringToBytes(JSON.stringify(body) + SECRET)));
      expect(text).toBe(JSON.stringify(body));
    }
  });

  it("retry in order until the webhook responds, count the attempts, and survive a restart", async () => {
    const id = await stream({ topic0: [TRANSFER] }, [chain.account(5)]);
    receiver.isRefusing = true;
    const hashes = await chain.transferTokens([1n, 2n, 3n].map((value) => [0, chain.account(5), value]));
    await expect.poll(() => receiver.refused, WAIT).toBeGreaterThan(0);
    await purse.stop();
    receiver.isRefusing = false;
    purse = await hostPurse({ devChain: true, env, dataDir: purse.dataDir, port: purse.port });
    chain = await createChainClient(purse);
    const all = await untilMessages(id, 3, false);
    expect(hashesOf(all, "erc20Transfers")).toEqual(hashes);
    expect(Number(all[0]?.retries)).toBeGreaterThan(0);
    expect(messages(id, false)).toHaveLength(3);
    await expect
      .poll(async () => (await api("GET", `/stats/${id}`)).body, WAIT)
      .toMatchObject({
        streamId: id,
        totalWebhooksDelivered: 3,
        totalWebhooksFailed: expect.any(Number),
        totalLogsProcessed: 3,
        totalTxsProcessed: 0,
        totalTxsInternalProcessed: 0,
        queueSize: 0,
      });
    const logs = await api("GET", `/history/logs?streamId=${id}&limit=2`);
    expect(logs.body).toMatchObject({
      total: 3,
      cursor: expect.any(String),
      result: [{ streamId: id, deliveryStatus: "success" }, { deliveryStatus: "success" }],
    });
    const rest = await api("GET", `/history/logs?streamId=${id}&limit=2&cursor=${logs.body.cursor}`);
    expect(listOf(rest.body, "result")).toHaveLength(1);
  });

  it("have a region, which is kept for clients that read it", async () => {
    const before = await api("GET", "/settings");
    expect(before).toEqual({ status: 200, body: { region: "us-east-1" } });
    const region = { region: "eu-central-1" };
    expect(await api("POST", "/settings", region)).toEqual({ status: 200, body: region });
    expect((await api("GET", "/settings")).body).toEqual(region);
    expect((await api("POST", "/settings", { region: "moon" })).status).toBe(400);
  });

  it("resend a delivery on request", async () => {
    const id = await stream({ topic0: [TRANSFER] }, [chain.account(5)]);
    await chain.transferToken(0, chain.account(5), 4n);
    const [message] = await untilMessages(id, 1, false);
    await expect.poll(async () => (await api("GET", `/stats/${id}`)).body.queueSize, WAIT).toBe(0);
    const logs = await api("GET", `/history/logs?streamId=${id}`);
    const [delivery] = listOf(logs.body, "result");
    const retried = await api("POST", `/history/replay/${id}/${delivery?.id}`);
    expect(retried).toMatchObject({ status: 200, body: { id: delivery?.id, streamId: id } });
    const all = await untilMessages(id, 2, false);
    expect(all[1]).toEqual(message);
    expect((await api("POST", `/history/replay/${id}/unknown`)).status).toBe(404);
  });

  it("replay a range of blocks once", async () => {
    const [first, second] = await chain.transferTokens([
      [0, chain.account(5), 11n],
      [0, chain.account(5), 12n],
    ]);
    const id = await stream({ topic0: [TRANSFER] }, [chain.account(5)]);
    const third = await chain.transferToken(0, chain.account(5), 13n);
    const [live] = await untilMessages(id, 1, false);
    const head = Number(Object(live?.block).number);
    const range = { chainId: "0x539", fromBlock: head - 2, toBlock: head - 1 };
    const { status, body } = await api("POST", `/streams/evm/${id}/replay`, range);
    expect(status).toBe(200);
    const all = await untilMessages(id, 3, false);
    expect(hashesOf(all, "erc20Transfers")).toEqual([third, first, second]);
    await expect
      .poll(async () => (await api("GET", `/streams/evm/${id}/replay/${body.id}`)).body, WAIT)
      .toMatchObject({ status: "done", nextBlock: head });
    const block = await api("POST", `/streams/evm/0x539/block-to-webhook/${head - 1}/${id}`);
    expect(block.status).toBe(200);
    expect(hashesOf(await untilMessages(id, 4, false), "erc20Transfers")).toEqual([
      third,
      first,
      second,
      second,
    ]);
    const late = await api("POST", `/streams/evm/${id}/replay`, { ...range, toBlock: head + 1_000 });
    expect(late.status).toBe(400);
  });

  it("report logs removed by a reorganization, and never confirm them", async () => {
    const id = await stream({ topic0: [TRANSFER], includeRemoved: true, confirmations: 4 }, [
      chain.account(5),
    ]);
    const removed = await chain.transferToken(0, chain.account(5), 21n);
    const [message] = await untilMessages(id, 1, false);
    await chain.reorganize(1);
    const kept = await chain.transferToken(0, chain.account(5), 22n);
    await chain.mine(4);
    const [confirmed] = await untilMessages(id, 1, true);
    expect(hashesOf([confirmed ?? {}], "erc20Transfers")).toEqual([kept]);
    const [, removal, ...others] = messages(id);
    expect(removal).toEqual({ ...message, removed: true });
    expect(hashesOf(others, "erc20Transfers")).toEqual([kept, kept]);
    expect(hashesOf(messages(id, true), "erc20Transfers")).not.toContain(removed);
  });

  if (NIGHTLY)
    it("skip blocks while they are paused, and continue with new ones", async () => {
      const id = await stream({ topic0: [TRANSFER] }, [chain.account(5)]);
      const paused = await api("POST", `/streams/evm/${id}/status`, { status: "paused" });
      expect(paused.body).toMatchObject({ id, status: "paused" });
      await chain.transferToken(0, chain.account(5), 31n);
      expect((await api("POST", `/streams/evm/${id}/status`, { status: "active" })).body.status).toBe(
        "active",
      );
      const hash = await chain.transferToken(0, chain.account(5), 32n);
      expect(hashesOf(await untilMessages(id, 1, false), "erc20Transfers")).toEqual([hash]);
    });

  if (NIGHTLY)
    it("have thousands of addresses, which are paginated and removed", async () => {
      const many = Array.from({ length: 3_000 }, (_, i) => pad(toHex(i + 1_000_000), { size: 20 }));
      const id = await stream({ topic0: [TRANSFER] }, [...many, chain.account(5)]);
      await api("POST", `/streams/evm/${id}/address`, {
        address: chain.account(5).toUpperCase().replace("0X", "0x"),
      });
      const listed: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await api(
          "GET",
          `/streams/evm/${id}/address?limit=500${cursor ? `&cursor=${cursor}` : ""}`,
        );
        expect(page.body.total).toBe(3_001);
        listed.push(...listOf(page.body, "result").map(({ address }) => address));
        cursor = typeof page.body.cursor === "string" ? page.body.cursor : undefined;
      } while (cursor !== undefined);
      expect(listed.sort()).toEqual([...many, chain.account(5)].sort());
      const hash = await chain.transferToken(0, many[2_345] ?? "0x", 41n);
      expect(hashesOf(await untilMessages(id, 1, false), "erc20Transfers")).toEqual([hash]);
      await api("DELETE", `/streams/evm/${id}/address`, { address: [many[2_345], many[0]] });
      const [, last] = await chain.transferTokens([
        [0, many[2_345] ?? "0x", 42n],
        [0, chain.account(5), 43n],
      ]);
      expect(hashesOf(await untilMessages(id, 2, false), "erc20Transfers")).toEqual([hash, last]);
    });

  if (NIGHTLY)
    it("of a chain that is no longer configured wait, as do watches, which the log says once and /health always", async () => {
      const id = await stream({ topic0: [TRANSFER] }, [chain.account(5)]);
      const asMaster = { useMasterKey: true };
      const watch = { chainId: "0x539", address: chain.account(5), tableName: "Moved" };
      const watched = await rest(purse, "POST", "/classes/_ChainWatch", watch, asMaster);
      const synced = { chainId: "0x539", address: chain.account(5) };
      await rest(purse, "POST", "/functions/watchEthAddress", synced, asMaster);
      await purse.stop();
      purse = await hostPurse({ env, dataDir: purse.dataDir, port: purse.port });
      const missing = async () => (await (await fetch(`${purse.url}/health`)).json()).missingChains;
      await expect.poll(missing, WAIT).toEqual(["1337"]);
      // When these changes have been noticed, the chain has had more than one turn.
      expect((await api("DELETE", `/streams/evm/${id}`)).status).toBe(200);
      await rest(purse, "DELETE", `/classes/_ChainWatch/${watched.body.objectId}`, undefined, asMaster);
      await rest(purse, "DELETE", "/purge/_AddressSyncStatus", undefined, asMaster);
      await expect.poll(missing, WAIT).toBeUndefined();
      const failures = purse
        .output()
        .split("\n")
        .filter((line) => /configured|could not|invalid/.test(line));
      await purse.stop();
      purse = await hostPurse({ devChain: true, env, dataDir: purse.dataDir, port: purse.port });
      chain = await createChainClient(purse);
      const logged = [
        "streams of a chain are not processed: it is not configured",
        "a watch is invalid",
        "addresses of a chain are not synced: it is not configured",
      ];
      expect(failures).toHaveLength(logged.length);
      for (const text of logged) expect(failures).toContainEqual(expect.stringContaining(text));
    });

  async function rpc(method: string, params: unknown[]) {
    const response = await fetch(purse.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = await response.json();
    if (error) throw new Error(JSON.stringify(error));
    return result;
  }

  const sendCoins = (from: number, to: Address, value: bigint): Promise<Hex> =>
    rpc("eth_sendTransaction", [{ from: chain.account(from), to, value: toHex(value) }]);

  async function create(data: Hex, value: bigint, succeeds: boolean): Promise<Hex> {
    const from = chain.account(1);
    const hash = await rpc("eth_sendTransaction", [{ from, data, value: toHex(value), gas: "0x30d40" }]);
    await expect
      .poll(async () => (await rpc("eth_getTransactionReceipt", [hash]))?.status, WAIT)
      .toBe(succeeds ? "0x1" : "0x0");
    return hash;
  }

  async function balance(address: Address, block: number): Promise<string> {
    return String(BigInt(await rpc("eth_getBalance", [address, toHex(block)])));
  }

  // What messages contain and which options are valid does not depend on the database.
  if (!runsEveryCase(database)) return;

  it("send a test message first, and are rejected if the webhook does not accept it", async () => {
    await stream({ includeNativeTxs: true });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body).toEqual({
      confirmed: true,
      chainId: "",
      abi: [],
      streamId: "",
      tag: "test",
      retries: 0,
      block: { number: "", hash: "", timestamp: "" },
      logs: [],
      txs: [],
      txsInternal: [],
      erc20Transfers: [],
      erc20Approvals: [],
      nftTokenApprovals: [],
      nftApprovals: { ERC721: [], ERC1155: [] },
      nftTransfers: [],
      nativeBalances: [],
    });
    receiver.isRefusing = true;
    const refused = await api("PUT", "/streams/evm", {
      webhookUrl: receiver.url,
      chainIds: ["0x539"],
      includeNativeTxs: true,
    });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining("503") } });
    const { body } = await api("GET", "/streams/evm");
    expect(body).toMatchObject({ total: 1 });
  });

  it("send native transactions with signatures and balances of the selected parties", async () => {
    const getNativeBalances = [{ selectors: ["$fromAddress", "$toAddress"], type: "tx" }];
    const id = await stream({ includeNativeTxs: true, getNativeBalances }, [chain.account(7)]);
    const hash = await sendCoins(1, chain.account(7), 7n);
    const [message] = await untilMessages(id, 1, false);
    const [transaction] = listOf(message, "txs");
    expect(transaction).toMatchObject({
      hash,
      fromAddress: chain.account(1),
      toAddress: chain.account(7),
      value: "7",
      type: "2",
      r: expect.stringMatching(/^\d{60,80}$/),
      s: expect.stringMatching(/^\d{60,80}$/),
      receiptStatus: "1",
      receiptContractAddress: null,
    });
    const block = Number(Object(message?.block).number);
    expect(message?.nativeBalances).toEqual([
      { address: chain.account(1), balance: await balance(chain.account(1), block) },
      { address: chain.account(7), balance: await balance(chain.account(7), block) },
    ]);
  });

  if (NIGHTLY)
    it("send internal transactions, but not reverted ones", async () => {
      const receivers = [pad("0xaa01", { size: 20 }), pad("0xaa02", { size: 20 })] as const;
      const id = await stream({ includeInternalTxs: true }, receivers);
      // Creation code that sends 5 wei to the first receiver; and one that does so to the second and reverts.
      const call = (to: Address) => `6000600060006000600573${to.slice(2)}5af1`;
      const failing = await create(`0x${call(receivers[1])}60006000fd`, 5n, false);
      const hash = await create(`0x${call(receivers[0])}60006000f3`, 5n, true);
      const [message] = await untilMessages(id, 1, false);
      expect(message?.txsInternal).toEqual([
        {
          from: expect.stringMatching(/^0x/),
          to: receivers[0],
          value: "5",
          gas: expect.stringMatching(/^\d+$/),
          transactionHash: hash,
        },
      ]);
      expect(hashesOf(messages(id), "txsInternal")).not.toContain(failing);
    });

  it("send an event of all contracts, filtered by an expression", async () => {
    const filter = {
      and: [
        { gte: ["value", "1000"] },
        { or: [{ eq: ["to", chain.account(8)] }, { in: ["to", [chain.account(9)]] }] },
        { ne: ["from", chain.account(3)] },
        { eq: ["moralis_streams_contract_address", chain.token] },
        { eq: ["moralis_streams_chain_id", "0x539"] },
      ],
    };
    const advancedOptions = [{ topic0: TRANSFER, filter, includeNativeTxs: true }];
    const id = await stream({ allAddresses: true, topic0: [TRANSFER], abi, advancedOptions });
    const sent = await chain.transferTokens([
      [0, chain.account(8), 999n],
      [0, chain.account(2), 5_000n],
      [0, chain.account(3), 5_000n],
      [3, chain.account(8), 2_000n],
      [0, chain.account(8), 1_000n],
      [0, chain.account(9), 1_001n],
    ]);
    const hashes = sent.slice(-2);
    const all = await untilMessages(id, 2, false);
    expect(hashesOf(all, "erc20Transfers")).toEqual(hashes);
    expect(hashesOf(all, "txs", "hash")).toEqual(hashes);
  });

  if (NIGHTLY)
    it("send approvals and transfers of an NFT collection", async () => {
      const id = await stream({ includeContractLogs: true }, [chain.collection, chain.items, chain.token]);
      const [nft, item] = [await chain.ownedNftId(0), await chain.ownedItemId(0)];
      const hashes = [
        await chain.approveToken(0, chain.account(4), 77n),
        await chain.transferNft(0, chain.account(1), nft),
        await chain.transferItem(0, chain.account(1), item, 1n),
      ];
      const all = await untilMessages(id, 3, false);
      expect(listOf(all[0], "erc20Approvals")).toMatchObject([
        { transactionHash: hashes[0], owner: chain.account(0), spender: chain.account(4), value: "77" },
      ]);
      expect(all.flatMap((message) => listOf(message, "nftTransfers"))).toMatchObject([
        {
          transactionHash: hashes[1],
          contract: chain.collection,
          tokenId: String(nft),
          amount: "1",
          operator: null,
          tokenContractType: "ERC721",
        },
        {
          transactionHash: hashes[2],
          contract: chain.items,
          tokenId: String(item),
          amount: "1",
          operator: chain.account(0),
          tokenContractType: "ERC1155",
        },
      ]);
    });

  it("are managed with the master key only, and reject invalid options by name", async () => {
    const options = { webhookUrl: receiver.url, chainIds: ["0x539"], includeNativeTxs: true };
    expect((await api("PUT", "/streams/evm", options, "some-api-key")).status).toBe(403);
    expect((await fetch(`${purse.url}/api/v2/streams/evm`)).status).toBe(401);
    const refusals = [
      [{ ...options, chainIds: [] }, "chainIds"],
      [{ ...options, chainIds: ["0x38"] }, "chain"],
      [{ ...options, webhookUrl: "ftp://example.org" }, "webhookUrl"],
      [{ ...options, includeNativeTxs: false }, "selects nothing"],
      [{ ...options, allAddresses: true }, "allAddresses"],
      [{ ...options, advancedOptions: [{ topic0: TRANSFER, filter: { eq: ["to", "1"] } }] }, "abi"],
      [{ ...options, abi, advancedOptions: [{ topic0: TRANSFER, filter: { like: ["to", "1"] } }] }, "like"],
      [{ ...options, triggers: [{}] }, "triggers"],
    ] as const;
    for (const [body, name] of refusals) {
      const answer = await api("PUT", "/streams/evm", body);
      expect(answer.body.message).toContain(name);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(504);
    }
    const id = await stream(options);
    const changed = await api("POST", `/streams/evm/${id}`, { tag: "new", topic0: [TRANSFER] });
    expect(changed.body).toMatchObject({ id, tag: "new", topic0: [TRANSFER], includeNativeTxs: true });
    const direct = await rest(purse, "POST", "/classes/_ChainStream", options, { useMasterKey: true });
    expect(direct.status).toBeGreaterThanOrEqual(400);
    expect(direct.status).toBeLessThan(500);
    expect((await fetch(`${purse.url}/api/v2/streams/openapi.json`)).status).toBe(200);
    expect((await api("GET", "/streams/evm/unknown")).status).toBe(404);
  });
}
