import type { JsonObject, JsonValue } from "@purse/protocol";
import { encodeFunctionData, erc20Abi, numberToHex, parseGwei } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { type Intercept, proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares pending transactions with those that a node without automatic blocks was given. */

let chain: TestChain;
let createIndexed: CreateIndexed;
/** Hashes in the order of their nonces. */
const sent: string[] = [];
let incoming: JsonValue;
const ends: (() => Promise<unknown>)[] = [];
const lower = (text: string) => text.toLowerCase();
const wallet = () => chain.account(2);
const UNSUPPORTED = { error: { code: -32_601, message: "Method not found" } };

beforeAll(async () => {
  ({ chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, ["SQLite"]);
  const nonce = Number(await chain.rpc("eth_getTransactionCount", [wallet(), "latest"]));
  await chain.rpc("evm_setAutomine", [false]);
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: "transfer",
    args: [chain.account(3), 5n],
  });
  const fees = {
    maxFeePerGas: numberToHex(parseGwei("5")),
    maxPriorityFeePerGas: numberToHex(parseGwei("1")),
    gas: numberToHex(100_000),
  };
  const send = async (call: JsonObject) => String(await chain.rpc("eth_sendTransaction", [call]));
  sent.push(
    await send({ from: wallet(), to: chain.account(3), value: "0x7", nonce: numberToHex(nonce), ...fees }),
    await send({ from: wallet(), to: chain.token, data, nonce: numberToHex(nonce + 1), ...fees }),
    // The nonce between is missing.
    await send({ from: wallet(), to: wallet(), value: "0x1", nonce: numberToHex(nonce + 3), ...fees }),
  );
  incoming = await send({
    from: chain.account(4),
    to: wallet(),
    value: "0x9",
    gasPrice: numberToHex(parseGwei("4")),
    gas: "0x5208",
  });
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A service whose node lacks some methods. */
async function start(intercept: Intercept = () => undefined): Promise<TestService> {
  const node = await proxyNode(chain.url, intercept);
  ends.push(() => node.stop());
  const location = await createIndexed("SQLite", ends);
  const service = await startService({ id: chain.chainId, rpcUrls: [node.url] }, location);
  ends.push(() => service.stop());
  return service;
}

const isPendingBlock = (method: string, params: JsonValue[]) =>
  method === "eth_getBlockByNumber" && params[0] === "pending";

describe("getPendingTransactions", () => {
  it("returns the transactions of a wallet by nonce, those to it, and those that wait for others", async () => {
    const service = await start();
    const page = objectOf(await service.run("getPendingTransactions", { address: wallet() }));
    expect(page).toMatchObject({ total: 4, includes_incoming: true, cursor: "" });
    const rows = rowsOf(page);
    const [first, second, third] = sent.map((hash) => rows.find((row) => row.hash === hash));
    expect(first).toMatchObject({
      from_address: lower(wallet()),
      to_address: lower(chain.account(3)),
      direction: "send",
      value: "7",
      gas: "100000",
      gas_price: null,
      max_fee_per_gas: String(parseGwei("5")),
      max_priority_fee_per_gas: String(parseGwei("1")),
      type: "2",
      input: "0x",
      method_label: null,
      status: "pending",
    });
    expect(second).toMatchObject({ method_label: "transfer", status: "pending" });
    expect(third).toMatchObject({ direction: "self", status: "queued" });
    expect(rows.find(({ hash }) => hash === incoming)).toMatchObject({
      direction: "receive",
      value: "9",
      type: "0",
      gas_price: String(parseGwei("4")),
      max_fee_per_gas: null,
      status: "pending",
    });
    const nonces = rows.map(({ nonce }) => Number(nonce));
    expect(nonces).toEqual(nonces.toSorted((a, b) => a - b));
  });

  it("pages through the same transactions", async () => {
    const service = await start();
    const address = wallet();
    const all = rowsOf(await service.run("getPendingTransactions", { address }));
    const rows: JsonObject[] = [];
    let cursor: JsonValue | undefined = "";
    do {
      const page: JsonObject = objectOf(
        await service.run("getPendingTransactions", { address, limit: 1, cursor }),
      );
      expect(page.total).toBe(all.length);
      rows.push(...rowsOf(page));
      cursor = page.cursor;
    } while (cursor);
    expect(rows).toEqual(all);
  });

  it("returns what the node has in its pool of the sender, if there is no pending block", async () => {
    const pool = objectOf(objectOf(await chain.rpc("txpool_content")).pending);
    const own = Object.entries(pool).find(([sender]) => lower(sender) === lower(wallet()))?.[1] ?? {};
    const service = await start(({ method, params }) => {
      if (isPendingBlock(method, params)) return UNSUPPORTED;
      if (method === "txpool_content") return UNSUPPORTED;
      return method === "txpool_contentFrom" ? { result: { pending: own, queued: {} } } : undefined;
    });
    const page = objectOf(await service.run("getPendingTransactions", { address: wallet() }));
    expect(page).toMatchObject({ sources: ["txpool"], includes_incoming: false });
    expect(rowsOf(page).map(({ hash }) => hash)).toEqual(sent.slice(0, 2));
  });

  it("returns the transactions of the pending block, if the node does not show its pool", async () => {
    const service = await start(({ method }) => (method.startsWith("txpool_") ? UNSUPPORTED : undefined));
    const page = objectOf(await service.run("getPendingTransactions", { address: wallet() }));
    expect(page).toMatchObject({ sources: ["pending_block"], includes_incoming: true });
    expect(
      rowsOf(page)
        .map(({ hash }) => hash)
        .sort(),
    ).toEqual([...sent.slice(0, 2), incoming].sort());
  });

  it("returns 501 if the node shows neither, or the latest block as the pending one", async () => {
    const latest = await chain.rpc("eth_getBlockByNumber", ["latest", true]);
    for (const answer of [UNSUPPORTED, { result: latest }]) {
      const service = await start(({ method, params }) => {
        if (method.startsWith("txpool_")) return UNSUPPORTED;
        return isPendingBlock(method, params) ? answer : undefined;
      });
      await expect(service.run("getPendingTransactions", { address: wallet() })).rejects.toMatchObject({
        status: 501,
        message: expect.stringContaining("does not show pending transactions"),
      });
    }
  });

  it("returns no transactions that are in a block by now, and none for other wallets", async () => {
    const service = await start();
    const other = await service.run("getPendingTransactions", { address: `0x${"78".repeat(20)}` });
    expect(other).toMatchObject({ total: 0, result: [] });
    await chain.mine(1);
    const page = objectOf(await service.run("getPendingTransactions", { address: wallet() }));
    expect(rowsOf(page).map(({ hash }) => hash)).toEqual(sent.slice(2));
  });
});
