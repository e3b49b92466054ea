/* A node whose latest block is that of the simulated chain, and which has no contracts. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { blockRow } from "./scaleBlocks.ts";

interface Call {
  id: unknown;
  method: string;
  params?: unknown[];
}

const quantity = (value: number) => `0x${value.toString(16)}`;

/** Returns its URL. */
export async function startStubNode(chainId: number, last: number): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: Call | Call[] = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
  });
  function answer({ id, method, params = [] }: Call) {
    const result = { eth_chainId: quantity(chainId), eth_blockNumber: quantity(last) }[method];
    if (result) return { jsonrpc: "2.0", id, result };
    if (method === "eth_getBlockByNumber") return { jsonrpc: "2.0", id, result: block(String(params[0])) };
    return { jsonrpc: "2.0", id, error: { code: -32_601, message: "the method is not supported" } };
  }
  function block(tag: string) {
    const number = tag.startsWith("0x") ? Number(tag) : last;
    if (number > last) return null;
    const { hash, parentHash, timestamp } = blockRow(number);
    return {
      ...{ number: quantity(number), hash, parentHash, timestamp: quantity(timestamp) },
      transactions: [],
    };
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}
