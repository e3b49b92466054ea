import { createServer } from "node:http";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { close, listen } from "../../test/proxyNode.ts";
import { type RequestOptions, Rpc } from "./rpc.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Answers a call; undefined for never. */
type Answer = (method: string) => { result: JsonValue } | { error: JsonObject } | undefined;

async function startNode(answer: Answer): Promise<{ url: string; methods: string[] }> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { id, method }: { id: number; method: string } = JSON.parse(Buffer.concat(chunks).toString());
      methods.push(method);
      const answered = answer(method);
      if (answered) response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answered }));
    });
  });
  ends.push(() => close(server));
  return { url: await listen(server), methods };
}

const honest: Answer = () => ({ result: "0x10" });
const without =
  (method: string, answer: ReturnType<Answer>): Answer =>
  (called) =>
    called === method ? answer : { result: "0x10" };

const TRACE = "debug_traceBlockByHash";
const SLOW: RequestOptions = { untrusted: { timeoutMs: 60_000, maxBytes: 1_000_000 }, asksAll: true };

/** Calls nodes of which the first one has a fault. */
async function startPair(faulty: Answer, second: Answer = honest) {
  const nodes = [await startNode(faulty), await startNode(second)] as const;
  const rpc = new Rpc(
    nodes.map(({ url }) => url),
    { timeoutMs: 300, retries: 0 },
  );
  ends.push(async () => rpc.abort());
  const count = (method: string) => nodes.map(({ methods }) => methods.filter((m) => m === method).length);
  return { rpc, count };
}

describe("a node", () => {
  it("that does not answer a slow request is followed by the next one, which is then asked first", async () => {
    const { rpc, count } = await startPair(without(TRACE, undefined));
    expect(await rpc.call(TRACE, [], SLOW)).toBe("0x10");
    expect(await rpc.call(TRACE, [], SLOW)).toBe("0x10");
    expect(count(TRACE)).toEqual([1, 2]);
    // Other requests do not depend on that.
    await rpc.call("eth_gasPrice", []);
    expect(count("eth_gasPrice")).toEqual([1, 0]);
  });

  it.each([
    ["lacks a method", { code: -32_601, message: "the method debug_traceBlockByHash does not exist" }],
    ["lacks a block", { code: -32_000, message: "block not found" }],
    ["lacks an old state", { code: -32_000, message: "missing trie node 1f (path )" }],
    ["limits the rate", { code: -32_005, message: "daily request count exceeded, request rate limited" }],
  ])("that %s is followed by the next one", async (_fault, error) => {
    const { rpc, count } = await startPair(without("eth_call", { error }));
    expect(await rpc.call("eth_call", [])).toBe("0x10");
    expect(count("eth_call")).toEqual([1, 1]);
  });

  it("is not followed by the next one if a contract has failed", async () => {
    const error = { code: 3, message: "execution reverted: data not found" };
    const { rpc, count } = await startPair(without("eth_call", { error }));
    await expect(rpc.call("eth_call", [])).rejects.toThrow("data not found");
    expect(count("eth_call")).toEqual([1, 0]);
  });

  it("reports its error if no other one has more", async () => {
    const first = { code: -32_601, message: "the method eth_feeHistory does not exist" };
    const second = { code: -32_601, message: "method not supported" };
    const { rpc } = await startPair(
      without("eth_feeHistory", { error: first }),
      without("eth_feeHistory", { error: second }),
    );
    await expect(rpc.call("eth_feeHistory", [])).rejects.toThrow(first.message);
  });
});
