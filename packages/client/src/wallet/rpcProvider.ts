import { type Eip1193Provider, ProviderError } from "./eip1193.ts";

/** JSON-RPC 2.0 to a node. Rejects with ProviderError; −32603 where the node cannot be reached. */
export async function callNode(
  url: string,
  method: string,
  params: readonly unknown[] | object = [],
): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  }).catch(() => undefined);
  if (!response?.ok) throw new ProviderError(-32603, `The node at ${url} does not answer`);
  const answer: { result?: unknown; error?: { code: number; message: string } } = await response.json();
  if (answer.error) throw new ProviderError(answer.error.code, answer.error.message);
  return answer.result;
}

/** Signs with a key held here what a wallet would sign, and hands the rest to a node. */
export async function keyProvider(
  privateKey: `0x${string}`,
  rpcUrl: string,
): Promise<Eip1193Provider & { address: string }> {
  const { privateKeyToAccount } = await import("viem/accounts");
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase(),
    async request({ method, params = [] }) {
      const list = Array.isArray(params) ? params : [params];
      switch (method) {
        case "eth_requestAccounts":
        case "eth_accounts":
          return [account.address];
        case "personal_sign":
          return account.signMessage({ message: { raw: hexBytes(list[0]) } });
        case "eth_signTypedData_v4":
          return account.signTypedData(JSON.parse(String(list[1])));
        case "eth_sendTransaction":
          return sendTransaction(list[0]);
        default:
          return callNode(rpcUrl, method, params);
      }
    },
  };

  async function sendTransaction(call: unknown): Promise<unknown> {
    if (typeof call !== "object" || call === null)
      throw new ProviderError(-32602, "A transaction must be an object");
    const request = { ...call, from: account.address };
    const [nonce, chainId, gas, block, tip] = await Promise.all([
      callNode(rpcUrl, "eth_getTransactionCount", [account.address, "pending"]),
      callNode(rpcUrl, "eth_chainId"),
      callNode(rpcUrl, "eth_estimateGas", [request]),
      callNode(rpcUrl, "eth_getBlockByNumber", ["latest", false]),
      callNode(rpcUrl, "eth_maxPriorityFeePerGas"),
    ]);
    const base = isRecord(block) ? BigInt(String(block.baseFeePerGas ?? 0)) : 0n;
    const priority = BigInt(String(tip));
    const { to, value, data } = request as { to?: `0x${string}`; value?: string; data?: `0x${string}` };
    const signed = await account.signTransaction({
      type: "eip1559",
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas: BigInt(String(gas)),
      maxPriorityFeePerGas: priority,
      maxFeePerGas: base * 2n + priority,
      value: BigInt(value ?? 0),
      ...(to && { to }),
      ...(data && { data }),
    });
    return callNode(rpcUrl, "eth_sendRawTransaction", [signed]);
  }
}

function hexBytes(value: unknown): `0x${string}` {
  if (typeof value === "string" && value.startsWith("0x")) return `0x${value.slice(2)}`;
  throw new ProviderError(-32602, "personal_sign takes the message as hex");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
