import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES, runsEveryCase } from "../../test/indexDatabase.ts";
import { newMulticall } from "../../test/logEmitter.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

const multicall3Abi = parseAbi([
  "struct Call { address target; bool allowFailure; uint256 value; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3Value(Call[] calls) payable returns (Result[])",
]);

/** Transactions of all types, against what viem and the node's JSON say. */

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
/** One transaction of each type. */
let hashes: Record<"legacy" | "accessList" | "dynamicFee" | "authorization" | "creation", Hex>;
let created: string;
let multicall: Address;
let authorizationList: JsonObject[];
const ends: (() => Promise<unknown>)[] = [];

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;
const withdrawal = {
  index: "0x5",
  validatorIndex: "0x1f",
  address: `0x${"Ab".repeat(20)}`,
  amount: "0x3b9aca00",
};

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
  multicall = await newMulticall(chain);
  const reader = createPublicClient({ transport: http(chain.url), cacheTime: 0, pollingInterval: 20 });
  const account = privateKeyToAccount(devChain.accounts[3]?.privateKey ?? "0x");
  const wallet = createWalletClient({ account, transport: http(chain.url) });
  const to = chain.account(4);
  const price = 3_000_000_000n;
  const fees = { maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_500_000_000n };
  const common = { chain: null, account, to, gas: 100_000n };
  const send = async (sent: Promise<Hex>): Promise<Hex> => {
    const transaction = await sent;
    await vi.waitFor(() => reader.getTransactionReceipt({ hash: transaction }), {
      timeout: 30_000,
      interval: 20,
    });
    return transaction;
  };
  const legacy = await send(
    wallet.sendTransaction({ ...common, type: "legacy", gasPrice: price, value: 1n }),
  );
  const accessList = await send(
    wallet.sendTransaction({ ...common, type: "eip2930", gasPrice: price, accessList: [], value: 2n }),
  );
  const dynamicFee = await send(wallet.sendTransaction({ ...common, type: "eip1559", ...fees, value: 3n }));
  const signed = await wallet.signAuthorization({
    account,
    contractAddress: chain.token,
    chainId: chain.chainId,
    executor: "self",
  });
  authorizationList = [
    {
      chain_id: String(signed.chainId),
      address: signed.address.toLowerCase(),
      nonce: String(signed.nonce),
      y_parity: String(signed.yParity),
      r: `0x${signed.r.slice(2).padStart(64, "0")}`,
      s: `0x${signed.s.slice(2).padStart(64, "0")}`,
    },
  ];
  const authorization = await send(
    wallet.sendTransaction({ ...common, type: "eip7702", ...fees, authorizationList: [signed] }),
  );
  const creation = await chain.create("0x6001600c60003960016000f300");
  created = creation.contractAddress?.toLowerCase() ?? "";
  hashes = { legacy, accessList, dynamicFee, authorization, creation: creation.transactionHash };
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Sends coins through a contract. */
function payThrough(target: Address, value: bigint) {
  const call = { target, allowFailure: false, value, callData: "0x" } as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3Value", args: [[call]] });
  return chain.send(0, multicall, data, value);
}

const object = (value: JsonValue | undefined): JsonObject => {
  if (isJsonObject(value)) return value;
  throw new Error(`${JSON.stringify(value)} is not an object`);
};

/** A node that sends what Anvil does not have: blobs and the fees of a rollup in one transaction, withdrawals. */
async function modernNode() {
  const node = await proxyNode(
    chain.url,
    () => undefined,
    undefined,
    ({ method }, result) => {
      if (method === "eth_getBlockByNumber" || method === "eth_getBlockByHash") return withExtras(result);
      if (method === "eth_getTransactionByHash") return transactionWithBlobs(result);
      if (method === "eth_getTransactionReceipt") return receiptWithFees(result);
      return method === "eth_getBlockReceipts" && Array.isArray(result)
        ? result.map(receiptWithFees)
        : result;
    },
  );
  ends.push(() => node.stop());
  return node;
}

function withExtras(block: JsonValue): JsonValue {
  if (!isJsonObject(block) || !Array.isArray(block.transactions)) return block;
  const transactions = block.transactions.map(transactionWithBlobs);
  return { ...block, transactions, withdrawals: [withdrawal], blobGasUsed: "0x40000", excessBlobGas: "0x0" };
}

function transactionWithBlobs(value: JsonValue): JsonValue {
  return isJsonObject(value) && value.hash === hashes.dynamicFee
    ? { ...value, type: "0x3", maxFeePerBlobGas: "0x7", blobVersionedHashes: [hash(1), hash(2)] }
    : value;
}

function receiptWithFees(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const blobs = { blobGasUsed: "0x40000", blobGasPrice: "0x1" };
  if (value.transactionHash === hashes.dynamicFee) return { ...value, ...blobs };
  // Anvil has the price of blobs in every receipt.
  return value.transactionHash === hashes.legacy
    ? { ...value, ...blobs, l1Fee: "0x64", l1GasPrice: "0x5", l1GasUsed: "0x14" }
    : value;
}

const BLOBS = {
  type: "3",
  blob_versioned_hashes: [hash(1), hash(2)],
  max_fee_per_blob_gas: "7",
  blob_gas_used: "262144",
  blob_gas_price: "1",
};
const ROLLUP = { type: "0", l1_fee: "100", l1_gas_price: "5", l1_gas_used: "20" };

describe.each(DATABASES)("with the index on %s", (database) => {
  let service: TestService;
  let modern: TestService;

  async function start(url: string): Promise<TestService> {
    const location = await createIndexed(database, ends);
    const started = await startService({ id: chain.chainId, rpcUrls: [url], verifyRoots: false }, location);
    ends.push(() => started.stop());
    const head = await chain.head();
    await started.waitFor(({ state, indexed }) => state === "following" && indexed === head);
    return started;
  }

  beforeAll(async () => {
    service = await start(chain.url);
    modern = await start((await modernNode()).url);
  });

  /** From the index. */
  async function listed(from: TestService, address: string): Promise<Map<JsonValue | undefined, JsonObject>> {
    const page = object(await from.run("getTransactions", { address }));
    const rows = Array.isArray(page.result) ? page.result.map(object) : [];
    return new Map(rows.map((row) => [row.hash, row]));
  }

  it("getTransactions and getTransaction return type and fees as the node has them", async () => {
    const rows = await listed(service, chain.account(3));
    const types = { legacy: "0", accessList: "1", dynamicFee: "2", authorization: "4" } as const;
    for (const [kind, type] of Object.entries(types)) {
      const transactionHash = hashes[kind as keyof typeof types];
      const raw = object(await chain.rpc("eth_getTransactionByHash", [transactionHash]));
      const receipt = object(await chain.rpc("eth_getTransactionReceipt", [transactionHash]));
      const decimal = (value: JsonValue | undefined) =>
        typeof value === "string" ? BigInt(value).toString() : null;
      const expected = {
        type,
        max_fee_per_gas: decimal(raw.maxFeePerGas),
        max_priority_fee_per_gas: decimal(raw.maxPriorityFeePerGas),
        effective_gas_price: decimal(receipt.effectiveGasPrice),
      };
      expect(rows.get(transactionHash)).toMatchObject(expected);
      const single = object(await service.run("getTransaction", { transaction_hash: transactionHash }));
      expect(single).toMatchObject(expected);
      expect(rows.get(transactionHash)).toEqual({ ...single, logs: undefined });
    }
    expect(rows.get(hashes.dynamicFee)?.max_fee_per_gas).toBe("4000000000");
    expect(rows.get(hashes.legacy)?.max_fee_per_gas).toBeNull();
  });

  it("getTransactions returns the authorizations of EIP-7702", async () => {
    const rows = await listed(service, chain.account(3));
    expect(rows.get(hashes.authorization)?.authorization_list).toEqual(authorizationList);
    expect(rows.get(hashes.dynamicFee)).not.toHaveProperty("authorization_list");
  });

  it("getTransactions, getTransaction and getBlock return blobs, and the fee of a rollup for its base chain", async () => {
    const rows = await listed(modern, chain.account(3));
    for (const [transactionHash, expected] of [
      [hashes.dynamicFee, BLOBS],
      [hashes.legacy, ROLLUP],
    ] as const) {
      const row = rows.get(transactionHash);
      expect(row).toMatchObject(expected);
      expect(await modern.run("getTransaction", { transaction_hash: transactionHash })).toMatchObject(
        expected,
      );
      const block = object(await modern.run("getBlock", { block_number_or_hash: row?.block_hash }));
      expect(block.transactions).toMatchObject([expected]);
    }
    expect(rows.get(hashes.legacy)).not.toHaveProperty("blob_gas_price");
  });

  it("getBlock returns the withdrawals in wei, and the blob gas", async () => {
    expect(await modern.run("getBlock", { block_number_or_hash: "1" })).toMatchObject({
      withdrawals: [
        {
          index: "5",
          validator_index: "31",
          address: withdrawal.address.toLowerCase(),
          amount: "1000000000000000000",
        },
      ],
      blob_gas_used: "262144",
      excess_blob_gas: "0",
    });
    const raw = object(await chain.rpc("eth_getBlockByNumber", ["0x1", false]));
    expect(await service.run("getBlock", { block_number_or_hash: "1" })).toMatchObject({
      base_fee_per_gas: BigInt(String(raw.baseFeePerGas)).toString(),
      withdrawals: [],
    });
  });

  it("getTransaction includes the internal transactions of a node that traces", async () => {
    const to = chain.account(8).toLowerCase();
    const { transactionHash } = await payThrough(chain.account(8), 5n);
    const raw = object(
      await chain.rpc("debug_traceTransaction", [transactionHash, { tracer: "callTracer" }]),
    );
    const [call] = Array.isArray(raw.calls) ? raw.calls.map(object) : [];
    const expected = {
      transaction_hash: transactionHash,
      type: "CALL",
      from: multicall.toLowerCase(),
      to,
      value: "5",
      gas: BigInt(String(call?.gas)).toString(),
      gas_used: BigInt(String(call?.gasUsed)).toString(),
      input: "0x",
      output: "0x",
      error: null,
      depth: 0,
    };
    const params = { transaction_hash: transactionHash };
    const single = object(
      await service.run("getTransaction", { ...params, include: "internal_transactions" }),
    );
    expect(single.internal_transactions).toMatchObject([expected]);
    expect(await service.run("getInternalTransactions", params)).toEqual(single.internal_transactions);
    expect(await service.run("getTransaction", params)).not.toHaveProperty("internal_transactions");
    const block = { block_number_or_hash: single.block_hash };
    const { transactions } = object(
      await service.run("getBlock", { ...block, include: "internal_transactions" }),
    );
    expect(transactions).toEqual([single]);
    expect(object(await service.run("getBlock", block)).transactions).not.toMatchObject([
      { internal_transactions: expect.anything() },
    ]);
  });

  it.each([
    [
      "pending",
      (transaction: JsonObject) => ({
        ...transaction,
        blockHash: null,
        blockNumber: null,
        transactionIndex: null,
      }),
    ],
    ["unknown", () => null],
  ])(
    "getTransaction returns a mined transaction that the node still calls %s",
    async (_, rewrite: (transaction: JsonObject) => JsonValue) => {
      const node = await proxyNode(
        chain.url,
        () => undefined,
        undefined,
        ({ method }, result) => (method === "eth_getTransactionByHash" ? rewrite(object(result)) : result),
      );
      ends.push(() => node.stop());
      const late = await start(node.url);
      const params = { transaction_hash: hashes.dynamicFee };
      expect(await late.run("getTransaction", params)).toEqual(await service.run("getTransaction", params));
    },
  );

  // The node decides on it.
  it.runIf(runsEveryCase(database))(
    "getInternalTransactions reads the traces of nodes that have trace_transaction only, or returns 501",
    async () => {
      const { transactionHash, blockHash } = await payThrough(chain.account(8), 6n);
      const unknown = { error: { code: -32_601, message: "the method does not exist" } };
      const action = {
        callType: "call",
        from: multicall,
        to: chain.account(8),
        gas: "0x10",
        input: "0x",
        value: "0x6",
      };
      const result = { gasUsed: "0x2", output: "0x" };
      const traces = [
        {
          action: { ...action, from: chain.account(0), to: multicall },
          result,
          traceAddress: [],
          type: "call",
        },
        { action, result, traceAddress: [0], type: "call" },
        { action: { ...action, value: "0x0" }, result, traceAddress: [0, 0], type: "call" },
      ];
      for (const [isSupported, status] of [
        [true, 200],
        [false, 501],
      ] as const) {
        const node = await proxyNode(chain.url, ({ method }) => {
          if (method === "trace_transaction" && isSupported) return { result: traces };
          if (method === "trace_block" && isSupported)
            return { result: traces.map((trace) => ({ ...trace, transactionHash, blockHash })) };
          return /^(debug_trace|trace_)/.test(method) ? unknown : undefined;
        });
        ends.push(() => node.stop());
        const tracing = await start(node.url);
        const include = { include: "internal_transactions", block_number_or_hash: blockHash };
        const answers = [
          () => tracing.runWithStatus("getInternalTransactions", { transaction_hash: transactionHash }),
          () => tracing.runWithStatus("getBlock", include),
        ];
        const calls = [
          { type: "CALL", value: "6", gas: "16", gas_used: "2", depth: 0 },
          { type: "CALL", value: "0", depth: 1 },
        ];
        if (status === 501) {
          for (const answer of answers)
            await expect(answer()).rejects.toMatchObject({ status, message: expect.stringMatching(/trace/) });
          continue;
        }
        const [list, block] = await Promise.all(answers.map((answer) => answer()));
        expect(list?.body).toMatchObject(calls);
        expect(block?.body).toMatchObject({ transactions: [{ internal_transactions: calls }] });
      }
    },
  );

  it("getTransactions of a contract contains the transaction that created it", async () => {
    const rows = await listed(service, created);
    expect([...rows.keys()]).toEqual([hashes.creation]);
    expect(rows.get(hashes.creation)).toMatchObject({ receipt_contract_address: created, to_address: null });
  });
});
