import { createServer } from "node:http";

/** A node of several chains, which have only their first block: the path of a URL is the id of the chain. */
export interface EmptyChains {
  urlOf(chainId: number): string;
  close(): Promise<void>;
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

export async function startEmptyChains(): Promise<EmptyChains> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk));
    request.on("end", () => {
      const chainId = Number(request.url?.slice(1));
      const calls: Call | Call[] = JSON.parse(text);
      const replies = Array.isArray(calls)
        ? calls.map((call) => replyTo(chainId, call))
        : replyTo(chainId, calls);
      response.setHeader("content-type", "application/json").end(JSON.stringify(replies));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    urlOf: (chainId) => `http://127.0.0.1:${port}/${chainId}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function replyTo(chainId: number, { id, method, params }: Call): object {
  const result = resultOf(chainId, method, params);
  if (result === undefined) return { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } };
  return { jsonrpc: "2.0", id, result };
}

function resultOf(chainId: number, method: string, [first]: unknown[]): unknown {
  const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`;
  const hash = `0x${chainId.toString(16).padStart(64, "0")}`;
  switch (method) {
    case "eth_chainId":
      return `0x${chainId.toString(16)}`;
    case "eth_blockNumber":
      return "0x0";
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber":
      if (typeof first === "string" && /^0x0*[1-9a-f]/.test(first) && first !== hash) return null;
      return {
        number: "0x0",
        hash,
        parentHash: zeros(32),
        timestamp: "0x65000000",
        nonce: zeros(8),
        sha3Uncles: zeros(32),
        logsBloom: zeros(256),
        transactionsRoot: zeros(32),
        stateRoot: zeros(32),
        receiptsRoot: zeros(32),
        miner: zeros(20),
        difficulty: "0x0",
        totalDifficulty: "0x0",
        extraData: "0x",
        size: "0x100",
        gasLimit: "0x1c9c380",
        gasUsed: "0x0",
        transactions: [],
        uncles: [],
      };
    case "eth_getBlockReceipts":
    case "eth_getLogs":
      return [];
    default:
      return undefined;
  }
}
