import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseTransaction } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Clock, connect } from "../connection.ts";
import { memoryStorage } from "../storage.ts";
import type { Eip1193Provider } from "./eip1193.ts";
import { type NetworkOptions, NetworkWeb3Connector } from "./nodeConnector.ts";

/** Hardhat's first account. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const ADDRESS = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

interface RecordedCall {
  httpMethod: string | undefined;
  contentType: string | undefined;
  body: { id?: unknown; jsonrpc?: unknown; method?: string; params?: unknown };
}

let calls: RecordedCall[] = [];
let answer: (method: string) => { status?: number; text?: string; json?: object } = () => ({});
const node = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    calls.push({ httpMethod: request.method, contentType: request.headers["content-type"], body });
    const { status = 200, text, json = { jsonrpc: "2.0", id: 1, result: "0x1" } } = answer(body.method);
    response.writeHead(status, { "content-type": "application/json" }).end(text ?? JSON.stringify(json));
  });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const { port } = node.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/node`;
});
afterAll(() => node.close());
beforeEach(() => {
  calls = [];
  answer = () => ({});
  const clock: Clock = { now: () => 0, random: () => 0, sleep: async () => {} };
  connect({ applicationId: "app", storage: memoryStorage(), clock, requestAttemptLimit: 3 });
});
afterEach(() => vi.unstubAllGlobals());

const open = (options: NetworkOptions = { urls: { 1337: url } }) =>
  new NetworkWeb3Connector().activate(options);
const provider = async (): Promise<Eip1193Provider> => (await open()).provider;

describe("a request to the node", () => {
  it("is a JSON-RPC 2.0 POST that resolves with the result", {
    tags: [
      "7.node.post",
      "7.node.json-rpc",
      "7.node.body-id",
      "7.node.body-method",
      "7.node.body-params",
      "7.node.result",
    ],
  }, async () => {
    const { provider, account, chainId } = await open();
    const result = await provider.request({ method: "eth_getBalance", params: ["0x1", "latest"] });
    expect(result).toBe("0x1");
    expect(calls).toEqual([
      {
        httpMethod: "POST",
        contentType: "application/json",
        body: { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: ["0x1", "latest"] },
      },
    ]);
    expect({ account, chainId }).toEqual({ account: null, chainId: "0x539" });
  });

  it("is not sent for the node's own accounts", async () => {
    answer = () => ({ json: { result: ["0x1"] } });
    expect(await (await provider()).request({ method: "eth_accounts" })).toEqual([]);
    expect(calls).toEqual([]);
  });
});

describe("the node's response", () => {
  it("with an error rejects with its message, code and data", {
    tags: ["7.node.error-message", "7.node.error-code", "7.node.error-data", "8.sdk.failed-request"],
  }, async () => {
    answer = () => ({ json: { error: { code: 3, message: "execution reverted", data: "0x08c3" } } });
    await expect((await provider()).request({ method: "eth_call" })).rejects.toMatchObject({
      message: 'Failed to make "eth_call" request with networkConnector: "execution reverted"',
      code: 3,
      data: "0x08c3",
    });
  });

  it.each([
    ["with a status above 400 rejects with the status", 404, "Error response [404] Not Found"],
    ["with status 400 rejects with the message of its body", 400, "wrong params"],
  ])("%s", { tags: ["7.node.status-over-400", "8.sdk.error-response"] }, async (_name, status, message) => {
    answer = () => ({ status, json: { error: { code: -32602, message: "wrong params" } } });
    await expect((await provider()).request({ method: "eth_call" })).rejects.toThrow(message);
  });

  it.each([
    ["neither result nor error", "{}"],
    ["no JSON", "<html>"],
    ["no object", "[]"],
  ])("is rejected if it has %s", { tags: ["8.sdk.unexpected-json-rpc"] }, async (_name, text) => {
    answer = () => ({ text });
    await expect((await provider()).request({ method: "eth_call" })).rejects.toThrow(
      "Received unexpected JSON-RPC response",
    );
  });

  it("that is missing rejects with No response", {
    tags: ["7.node.missing-response", "8.sdk.no-response"],
  }, async () => {
    const { provider } = await open({ urls: { 1: "http://127.0.0.1:9" } });
    await expect(provider.request({ method: "eth_call" })).rejects.toThrow("No response");
  });

  it("with a server error is retried, except for transactions", async () => {
    answer = () => ({ status: 503 });
    const node = await provider();
    await expect(node.request({ method: "eth_call" })).rejects.toThrow("Error response [503]");
    expect(calls.length).toBe(3);
    calls = [];
    await expect(node.request({ method: "eth_sendRawTransaction" })).rejects.toThrow();
    expect(calls.length).toBe(1);
  });
});

describe("the node's URL", () => {
  it("is required", { tags: ["8.sdk.no-urls"] }, async () => {
    await expect(open({})).rejects.toThrow("Cannot connect to rpc: No urls or speedyNodeApiKey provided");
  });

  it("must belong to the chain", { tags: ["8.sdk.no-rpc-url"] }, async () => {
    await expect(open({ urls: { 1: url }, chainId: 5 })).rejects.toThrow(
      "No rpc url provided for chainId 0x5",
    );
  });

  it.each([
    ["the first", {}, "0x89"],
    ["that of chainId", { chainId: "0x539" }, "0x539"],
    ["that of the deprecated defaultChainId", { defaultChainId: 1337 }, "0x539"],
  ])("is %s", async (_name, options, chainId) => {
    const given = await open({ urls: { 137: url, "0x539": url }, ...options });
    expect(given.chainId).toBe(chainId);
  });

  it("is a hosted one if only speedyNodeApiKey is given", async () => {
    const urls: unknown[] = [];
    vi.stubGlobal("fetch", async (to: unknown) => {
      urls.push(to);
      return Response.json({ result: "0x1" });
    });
    const { provider } = await open({ speedyNodeApiKey: "a/key", chainId: 80001 });
    await provider.request({ method: "eth_blockNumber" });
    expect(urls).toEqual(["https://speedy-nodes-nyc.moralis.io/a%2Fkey/polygon/mumbai"]);
  });
});

describe("the network connector with a private key", () => {
  it("signs as its account in lower case, and never persists the key", async () => {
    const connector = new NetworkWeb3Connector();
    const options = { urls: { 1337: url }, privateKey: KEY };
    const { provider, account } = await connector.activate(options);
    expect(account).toBe(ADDRESS);
    expect(await provider.request({ method: "personal_sign", params: ["0x00", ADDRESS] })).toMatch(
      /^0x[0-9a-f]{130}$/,
    );
    expect(calls).toEqual([]);
    expect(connector.persistedOptions(options)).toBeUndefined();
  });

  it("rejects an invalid key", async () => {
    await expect(open({ urls: { 1: url }, privateKey: "0x12" })).rejects.toThrow("64 hex digits");
  });

  it("assigns consecutive nonces to concurrent transactions", async () => {
    let sent = 0;
    answer = (method) => {
      if (method === "eth_sendRawTransaction") sent += 1;
      const results: Record<string, unknown> = {
        eth_getTransactionCount: `0x${sent.toString(16)}`,
        eth_chainId: "0x539",
        eth_getBlockByNumber: { baseFeePerGas: "0x1" },
        eth_sendRawTransaction: `0x${"0".repeat(63)}${sent}`,
      };
      return { json: { result: results[method] ?? "0x1" } };
    };
    const { provider } = await open({ urls: { 1337: url }, privateKey: KEY });
    const send = () => provider.request({ method: "eth_sendTransaction", params: [{ to: ADDRESS }] });
    await Promise.all([send(), send()]);
    const raw = calls
      .filter(({ body }) => body.method === "eth_sendRawTransaction")
      .map(({ body }) => body.params);
    expect(new Set(raw.map(String)).size).toBe(2);
  });

  const ANSWERS: Record<string, unknown> = {
    eth_chainId: "0x539",
    eth_estimateGas: "0x64",
    eth_getBlockByNumber: { baseFeePerGas: "0xa" },
    eth_maxPriorityFeePerGas: "0x2",
    eth_getTransactionCount: "0x7",
  };

  it.each([
    [
      "adds a fifth to the gas estimate, and sets fees that allow for a rising base fee",
      {},
      { nonce: 7, gas: 120n, maxFeePerGas: 22n, maxPriorityFeePerGas: 2n },
    ],
    [
      "keeps the nonce, gas and fees of the caller, as for a replacement transaction",
      { nonce: "0x3", gas: "0x5208", maxFeePerGas: "0x64", maxPriorityFeePerGas: "0x32" },
      { nonce: 3, gas: 21_000n, maxFeePerGas: 100n, maxPriorityFeePerGas: 50n },
    ],
  ])("%s", async (_name, chosen, expected) => {
    answer = (method) => ({ json: { result: ANSWERS[method] ?? "0x1" } });
    const { provider } = await open({ urls: { 1337: url }, privateKey: KEY });
    await provider.request({ method: "eth_sendTransaction", params: [{ to: ADDRESS, ...chosen }] });
    const raw = calls.find(({ body }) => body.method === "eth_sendRawTransaction")?.body.params;
    expect(parseTransaction(String(raw) as `0x02${string}`)).toMatchObject(expected);
  });
});
