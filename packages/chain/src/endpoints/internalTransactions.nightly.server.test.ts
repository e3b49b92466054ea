import type { JsonObject } from "@purse/protocol";
import {
  type Address,
  concatHex,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  numberToHex,
  parseAbi,
  size,
} from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { createDatabase, DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { newMulticall } from "../../test/logEmitter.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { bytecodeOf, tokenAbi } from "../../test/testTokens.ts";
import { addressTopic, TRANSFER_TOPIC } from "../model/topics.ts";

const multicall3Abi = parseAbi([
  "struct Call { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call[] calls) payable returns (Result[])",
]);
const asHex = (text: string): Hex => `0x${text.slice(2)}`;
const lower = (address: string): Address => `0x${address.slice(2).toLowerCase()}`;
/** Has a history of internal payments only. */
const receiver = lower(privateKeyToAddress(generatePrivateKey()));

let chain: TestChain;
let createIndexed: CreateIndexed;
let createTraced: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];
let multicall: Address;
let factory: Address;
let token: Address;
let payments: Hex[];

beforeAll(async () => {
  ({ chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, ["SQLite"]);
  createTraced = await indexBeforehand(chain, ends, DATABASES, { traces: true });
  multicall = lower(await newMulticall(chain));
  payments = [await pay(5n), await pay(7n)];
  const code = bytecodeOf("LogEmitter");
  const created = await chain.create(creatorOf(code));
  factory = lower(created.contractAddress ?? "0x");
  token = lower(getContractAddress({ from: factory, nonce: 1n }));
  const topics: Hex[] = [TRANSFER_TOPIC, addressTopic(chain.account(0)), addressTopic(receiver)].map(asHex);
  const args = [topics, numberToHex(3, { size: 32 })] as const;
  await chain.send(0, token, encodeFunctionData({ abi: tokenAbi, functionName: "make", args }));
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Pays through a contract. */
async function pay(value: bigint): Promise<Hex> {
  const call = { target: receiver, allowFailure: false, value, callData: "0x" } as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3Value", args: [[call]] });
  return (await chain.send(0, multicall, data, value)).transactionHash;
}

/** Code that creates a contract with the code that follows it, or reverts. */
function creatorOf(code: Hex): Hex {
  const length = numberToHex(size(code), { size: 2 });
  // PUSH2 length, PUSH1 26, PUSH1 0, CODECOPY, PUSH2 length, PUSH1 0, PUSH1 0, CREATE,
  // PUSH1 24, JUMPI, PUSH1 0, PUSH1 0, REVERT, JUMPDEST, STOP
  const end = "0x60006000f060185760006000fd5b00";
  return concatHex(["0x61", length, "0x601a600039", "0x61", length, end, code]);
}

async function following(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
}

const stats = async (service: TestService): Promise<JsonObject> =>
  objectOf(await service.run("getTokenStats", { address: token }));

describe.each(DATABASES)("a chain that is traced, on %s", (name) => {
  let service: TestService;

  beforeAll(async () => {
    const location = await createTraced(name, ends);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], traces: true }, location);
    await following(service);
  });
  afterAll(async () => {
    await service?.stop();
  });

  const list = async (params: JsonObject) =>
    objectOf(await service.run("getWalletInternalTransactions", params));

  it("getWalletInternalTransactions returns the coins that contracts sent to an address", async () => {
    const page = await list({ address: receiver });
    expect(page.total).toBe(2);
    const payment = (hash: Hex | undefined, value: string) => ({
      transaction_hash: hash,
      internal_index: 0,
      type: "call",
      from_address: multicall,
      to_address: receiver,
      direction: "receive",
      value,
    });
    expect(rowsOf(page)).toMatchObject([payment(payments[1], "7"), payment(payments[0], "5")]);
    const [oldest] = rowsOf(await list({ address: receiver, order: "asc", limit: 1 }));
    expect(oldest).toMatchObject({ value: "5", value_formatted: "0.000000000000000005" });
    expect(rowsOf(await list({ address: receiver, offset: 1 }))).toEqual([oldest]);
    const first = await list({ address: receiver, limit: 1 });
    expect(rowsOf(await list({ address: receiver, limit: 1, cursor: first.cursor ?? "" }))).toEqual([oldest]);
  });

  it("getWalletInternalTransactions returns the contracts that a contract created", async () => {
    const rows = rowsOf(await list({ address: factory }));
    expect(rows).toMatchObject([{ type: "create", to_address: token, direction: "send", value: "0" }]);
    expect(rowsOf(await list({ address: token }))).toMatchObject([{ direction: "receive" }]);
  });

  it("getWalletHistory includes transactions in which a wallet only received coins from contracts", async () => {
    const rows = rowsOf(
      await service.run("getWalletHistory", { address: receiver, include_internal_transactions: true }),
    );
    expect(rows.map(({ hash }) => hash)).toEqual([expect.any(String), ...payments.toReversed()]);
    expect(rows.slice(1)).toMatchObject(
      ["7", "5"].map((value) => ({
        category: "receive",
        native_transfers: [{ value, to_address: receiver, internal_transaction: true }],
      })),
    );
    const without = rowsOf(await service.run("getWalletHistory", { address: receiver }));
    expect(without).toHaveLength(1);
  });

  it("getWalletHistory of a contract begins with the transaction that created it, also if another contract did", async () => {
    const oldest = async (address: string) => {
      const params = { address, order: "asc", limit: 1, include_internal_transactions: true };
      return rowsOf(await service.run("getWalletHistory", params))[0];
    };
    const created = await oldest(factory);
    expect(created).toMatchObject({
      category: "deploy",
      to_address: null,
      receipt_contract_address: factory,
      native_transfers: [],
    });
    const [creation] = rowsOf(await list({ address: token }));
    expect(await oldest(token)).toMatchObject({ hash: creation?.transaction_hash, native_transfers: [] });
  });

  it("getTokenStats returns the contract that created a token", async () => {
    expect(await stats(service)).toMatchObject({ creator_address: factory });
  });

  it("internal transactions of removed blocks are removed", async () => {
    await pay(9n);
    await following(service);
    expect(await list({ address: receiver })).toMatchObject({ total: 3 });
    await chain.reorganize(1);
    await chain.mine(2);
    await expect.poll(async () => (await list({ address: receiver })).total, { timeout: 20_000 }).toBe(2);
  });
});

describe("a chain that is not traced", () => {
  it("getTokenStats finds the contract that created a token by the node; other requests are rejected", async () => {
    const location = await createIndexed("SQLite", ends);
    const service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, location);
    try {
      await following(service);
      const found = await stats(service);
      const { creation_transaction_hash: hash } = found;
      const creation = objectOf(await chain.rpc("eth_getTransactionReceipt", [hash ?? ""]));
      expect(found).toMatchObject({
        creator_address: factory,
        creation_block_number: String(Number(creation.blockNumber)),
      });
      expect(creation.contractAddress).toBe(factory);
      expect(await stats(service)).toEqual(found);
      const refused = service.run("getWalletInternalTransactions", { address: receiver });
      await expect(refused).rejects.toMatchObject({ status: 501, message: /set traces of chain/ });
    } finally {
      await service.stop();
    }
  });

  it("the creator of a token is null if the node does not trace", async () => {
    const unknown = { error: { code: -32_601, message: "the method does not exist" } };
    const proxy = await proxyNode(chain.url, ({ method }) => (/trace/.test(method) ? unknown : undefined));
    const location = await createIndexed("SQLite", ends);
    const service = await startService({ id: chain.chainId, rpcUrls: [proxy.url] }, location);
    try {
      await following(service);
      expect(await stats(service)).toMatchObject({ creator_address: null });
    } finally {
      await service.stop();
      await proxy.stop();
    }
  });

  it("is refused with the reason if its traces are required and the node has none", async () => {
    const unknown = { error: { code: -32_601, message: "the method does not exist" } };
    const proxy = await proxyNode(chain.url, ({ method }) => (/trace/.test(method) ? unknown : undefined));
    const { location, remove } = await createDatabase("SQLite");
    const service = await startService({ id: chain.chainId, rpcUrls: [proxy.url], traces: true }, location);
    try {
      const { error } = await service.waitFor(({ state }) => state === "refused");
      expect(error).toContain("the node does not trace blocks");
    } finally {
      await service.stop();
      await proxy.stop();
      await remove();
    }
  });
});
