import type { JsonObject, JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  parseAbiItem,
  parseEther,
  type TransactionReceipt,
} from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { newMulticall } from "../../test/logEmitter.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { OPERATION_GAS, type Paymaster, TestEntryPoint } from "../../test/testEntryPoint.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { ENTRY_POINT_VERSIONS, type EntryPoint } from "../model/chainConfig.ts";

/** Compares user operations with the logs of the real EntryPoint contracts, which viem reads from the node. */

const EVENT = parseAbiItem(
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
);
const executeAbi = parseAbi(["function execute(address to, uint256 value, bytes data)"]);
const BATCHES = {
  "0.6": parseAbi(["function executeBatch(address[] to, bytes[] data)"]),
  "0.7": parseAbi(["function executeBatch(address[] to, uint256[] values, bytes[] data)"]),
  "0.8": parseAbi([
    "struct Call { address to; uint256 value; bytes data; }",
    "function executeBatch(Call[] calls)",
  ]),
};

interface Sent {
  version: EntryPoint["version"];
  hash: Hex;
  receipt: TransactionReceipt;
}

let chain: TestChain;
let createIndexed: CreateIndexed;
let paymaster: Paymaster;
let multicall: Address;
const entryPoints: TestEntryPoint[] = [];
/** By what they do. */
const sent: Record<"created" | "batch" | "failed" | "second", Sent[]> = {
  created: [],
  batch: [],
  failed: [],
  second: [],
};
let sponsored: Sent;
let forwarded: Hex;
const ends: (() => Promise<unknown>)[] = [];
const lower = (text: string) => text.toLowerCase();

const transfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] });
const execute = (to: Address, value: bigint, data: Hex) =>
  encodeFunctionData({ abi: executeAbi, args: [to, value, data] });

function batchOf(version: EntryPoint["version"], to: Address, inputs: Hex[]): Hex {
  const targets = inputs.map(() => to);
  if (version === "0.6") return encodeFunctionData({ abi: BATCHES[version], args: [targets, inputs] });
  if (version === "0.7") return encodeFunctionData({ abi: BATCHES[version], args: [targets, [], inputs] });
  const calls = inputs.map((data) => ({ to, value: 0n, data }));
  return encodeFunctionData({ abi: BATCHES[version], args: [calls] });
}

beforeAll(async () => {
  ({ chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
  const [bundler, beneficiary] = [3, chain.account(4)] as const;
  for (const version of ENTRY_POINT_VERSIONS) {
    const entryPoint = await TestEntryPoint.deploy(chain, version, generatePrivateKey());
    entryPoints.push(entryPoint);
    await chain.transfer(0, entryPoint.sender, 1_000n);
    const send = async (callData: Hex, options: { isFirst?: boolean; paymaster?: Paymaster } = {}) => {
      const signed = await entryPoint.sign({ callData, ...options });
      const receipt = await chain.send(bundler, entryPoint.address, entryPoint.encode([signed], beneficiary));
      return { version, hash: signed.hash, receipt };
    };
    const pay = execute(chain.token, 0n, transfer(chain.account(5), 10n));
    sent.created.push(await send(pay, { isFirst: true }));
    const inputs = [transfer(chain.account(5), 1n), transfer(chain.account(6), 2n)];
    sent.batch.push(await send(batchOf(version, chain.token, inputs)));
    // More than the account has: the operation fails, the transaction does not.
    sent.failed.push(await send(execute(chain.token, 0n, transfer(chain.account(5), 10n ** 24n))));
    const first = await entryPoint.sign({ callData: pay });
    const second = await entryPoint.sign({ callData: execute(chain.account(6), 5n, "0x"), nonceOffset: 1n });
    await chain.send(0, entryPoint.sender, "0x", parseEther("0.1"));
    const data = entryPoint.encode([first, second], beneficiary);
    const receipt = await chain.send(bundler, entryPoint.address, data);
    sent.second.push({ version, hash: second.hash, receipt });
    if (version === "0.7") {
      paymaster = await entryPoint.deployPaymaster(generatePrivateKey());
      sponsored = await send(pay, { paymaster });
      multicall = await newMulticall(chain);
      const signed = await entryPoint.sign({ callData: pay });
      forwarded = signed.hash;
      const args = [
        [
          {
            target: entryPoint.address,
            allowFailure: false,
            callData: entryPoint.encode([signed], beneficiary),
          },
        ],
      ] as const;
      const aggregate = parseAbi([
        "struct Call { address target; bool allowFailure; bytes callData; }",
        "function aggregate3(Call[] calls)",
      ]);
      await chain.send(bundler, multicall, encodeFunctionData({ abi: aggregate, args }));
    }
  }
}, 180_000);
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The logs of user operations as the node has them, latest first. */
async function logged() {
  const client = createPublicClient({ transport: http(chain.url), cacheTime: 0 });
  const addresses = entryPoints.map(({ address }) => address);
  const logs = await client.getLogs({ address: addresses, event: EVENT, fromBlock: 0n, strict: true });
  return Promise.all(
    logs.reverse().map(async ({ args, address, blockNumber, blockHash, ...log }) => ({
      user_op_hash: args.userOpHash,
      entry_point: lower(address),
      entry_point_version: entryPoints.find((each) => each.address === address)?.version,
      sender: lower(args.sender),
      paymaster: BigInt(args.paymaster) === 0n ? null : lower(args.paymaster),
      nonce: String(args.nonce),
      success: args.success,
      actual_gas_cost: String(args.actualGasCost),
      actual_gas_used: String(args.actualGasUsed),
      bundler: lower(chain.account(3)),
      transaction_hash: log.transactionHash,
      transaction_index: String(log.transactionIndex),
      log_index: log.logIndex,
      block_number: String(blockNumber),
      block_hash: blockHash,
      block_timestamp: new Date(
        Number((await client.getBlock({ blockNumber })).timestamp) * 1000,
      ).toISOString(),
    })),
  );
}

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    const config = { id: chain.chainId, rpcUrls: [chain.url], entryPoints };
    service = await startService(config, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
  });

  const get = async ({ hash }: { hash: Hex }) =>
    objectOf(await service.run("getUserOperation", { user_op_hash: hash }));
  const listOf = async (params: Record<string, unknown>) =>
    rowsOf(await service.run("getUserOperations", params));

  it("returns the user operations of an account of each EntryPoint version as it logged them", async () => {
    const all = await logged();
    expect(all).toHaveLength(3 * 5 + 2);
    for (const { sender } of entryPoints) {
      const expected = all.filter((each) => each.sender === lower(sender));
      const rows = await listOf({ sender });
      expect(rows).toMatchObject(expected);
      expect(rows).toHaveLength(expected.length);
      expect(await listOf({ sender, order: "asc" })).toEqual(rows.toReversed());
    }
  });

  it("returns those that a paymaster paid, and of an account among them", async () => {
    const [paid, ...others] = await listOf({ paymaster: paymaster.address });
    expect(others).toEqual([]);
    expect(paid).toMatchObject({ user_op_hash: sponsored.hash, paymaster: lower(paymaster.address) });
    const [, seventh, eighth] = entryPoints;
    expect(await listOf({ paymaster: paymaster.address, sender: seventh?.sender })).toEqual([paid]);
    expect(await listOf({ paymaster: paymaster.address, sender: eighth?.sender })).toEqual([]);
  });

  it("pages through the same user operations, with a total", async () => {
    const { sender } = entryPoints[1] ?? { sender: "" };
    const all = await listOf({ sender });
    const rows: JsonObject[] = [];
    let cursor: JsonValue | undefined = "";
    do {
      const page: JsonObject = objectOf(await service.run("getUserOperations", { sender, limit: 2, cursor }));
      expect(page.total).toBe(all.length);
      rows.push(...rowsOf(page));
      cursor = page.cursor;
    } while (cursor);
    expect(rows).toEqual(all);
    const [latest] = all;
    expect(await listOf({ sender, from_block: Number(latest?.block_number) })).toEqual([latest]);
  });

  it("returns what was sent, by hash, with the calls of the account", async () => {
    for (const [i, entryPoint] of entryPoints.entries()) {
      const [created, batch, second] = [sent.created[i], sent.batch[i], sent.second[i]];
      if (!created || !batch || !second) throw new Error("there are no user operations");
      const factory = lower(entryPoint.factory);
      const input = transfer(chain.account(5), 10n);
      expect(await get(created)).toMatchObject({
        factory,
        success: true,
        operation: {
          ...OPERATION_GAS,
          init_code: expect.stringMatching(new RegExp(`^${factory}`)),
          call_data: execute(chain.token, 0n, input),
          calls: [{ to_address: lower(chain.token), value: "0", data: input, method_label: "transfer" }],
          paymaster_and_data: "0x",
          signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
          aggregator: null,
          beneficiary: lower(chain.account(4)),
        },
      });
      expect(await get(batch)).toMatchObject({
        factory: null,
        operation: {
          init_code: "0x",
          calls: [
            { value: "0", data: transfer(chain.account(5), 1n) },
            { value: "0", data: transfer(chain.account(6), 2n) },
          ],
        },
      });
      expect(await get(second)).toMatchObject({
        operation: {
          calls: [{ to_address: lower(chain.account(6)), value: "5", data: "0x", method_label: null }],
        },
      });
    }
  });

  it("returns failed user operations of successful transactions with their reason", async () => {
    for (const failed of sent.failed) {
      expect(failed.receipt.status).toBe("success");
      expect(await get(failed)).toMatchObject({
        success: false,
        transaction_hash: failed.receipt.transactionHash,
        // ERC20InsufficientBalance
        revert_reason: expect.stringMatching(/^0xe450d38c/),
        revert_message: null,
      });
    }
  });

  it("returns the paymaster's data, and no operation if another contract called the EntryPoint", async () => {
    const { operation, paymaster: payer } = await get(sponsored);
    expect(payer).toBe(lower(paymaster.address));
    expect(objectOf(operation).paymaster_and_data).toMatch(new RegExp(`^${lower(paymaster.address)}`));
    expect(await get({ hash: forwarded })).toMatchObject({ success: true, operation: null });
  });

  it("rejects unknown hashes, and lists without an account", async () => {
    const user_op_hash = `0x${"12".repeat(32)}`;
    await expect(service.run("getUserOperation", { user_op_hash })).rejects.toMatchObject({
      status: 404,
    });
    await expect(service.run("getUserOperations", {})).rejects.toMatchObject({
      status: 400,
      message: "sender or paymaster is required",
    });
  });
});
