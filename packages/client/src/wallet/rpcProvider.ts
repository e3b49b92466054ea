import { isRecord } from "@purse/protocol";
import { connection, currentConnection } from "../connection.ts";
import { type Eip1193Provider, ProviderError } from "./eip1193.ts";
import { quantityOf, withMargin } from "./quantity.ts";

const INTERNAL_ERROR = -32603;
/** Timeout of a request, in ms. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A retry would be rejected as already known, which would hide the first response. */
const NOT_RETRYABLE = new Set(["eth_sendRawTransaction", "eth_sendTransaction"]);

/**
 * Sends a JSON-RPC 2.0 request to a node, with up to `requestAttemptLimit` attempts if the node fails or is
 * unreachable. Rejects with ProviderError: the node's code, message and data, or −32603.
 */
export async function callNode(
  url: string,
  method: string,
  params: readonly unknown[] | object = [],
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const attempts = NOT_RETRYABLE.has(method) ? 1 : (currentConnection()?.requestAttemptLimit ?? 1);
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => undefined);
    if (response && response.status < 500) return resultOf(response);
    if (attempt >= attempts) throw requestFailed(response);
    const { clock } = connection();
    await clock.sleep(Math.round(clock.random() * 125 * 2 ** attempt));
  }
}

async function resultOf(response: Response): Promise<unknown> {
  if (response.status > 400) throw requestFailed(response);
  const body: unknown = await response.json().catch(() => undefined);
  const error = isRecord(body) ? body.error : undefined;
  if (isRecord(error)) {
    const { code, message, data } = error;
    throw new ProviderError(typeof code === "number" ? code : INTERNAL_ERROR, String(message), data);
  }
  if (isRecord(body) && "result" in body) return body.result;
  throw new ProviderError(INTERNAL_ERROR, "Received unexpected JSON-RPC response");
}

function requestFailed(response: Response | undefined): ProviderError {
  if (!response) return new ProviderError(INTERNAL_ERROR, "No response");
  return new ProviderError(INTERNAL_ERROR, `Error response [${response.status}] ${response.statusText}`);
}

export type NodeCall = (method: string, params?: readonly unknown[] | object) => Promise<unknown>;

/** Throws unless the text is 0x and 64 hex digits. */
export function privateKeyOf(text: string): `0x${string}` {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) throw new Error("A private key is 0x and 64 hex digits");
  return `0x${text.replace(/^0x/, "")}`;
}

/** A provider that signs with a local key and forwards all other requests to a node. */
export async function keyProvider(
  privateKey: `0x${string}`,
  node: NodeCall,
): Promise<Eip1193Provider & { address: string }> {
  const { privateKeyToAccount } = await import("viem/accounts");
  const account = privateKeyToAccount(privateKey);
  // Sequential: concurrent transactions would get the same nonce.
  let lastSend: Promise<unknown> = Promise.resolve();
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
          lastSend = lastSend.catch(() => undefined).then(() => sendTransaction(list[0]));
          return lastSend;
        default:
          return node(method, params);
      }
    },
  };

  async function sendTransaction(call: unknown): Promise<unknown> {
    if (typeof call !== "object" || call === null)
      throw new ProviderError(-32602, "A transaction must be an object");
    const request: Record<string, unknown> = { ...call, from: account.address };
    /** The caller's value, or else the node's. */
    const valueOr = async (name: string, fallback: () => Promise<unknown>): Promise<bigint> =>
      quantityOf(request[name]) ?? BigInt(String(await fallback()));
    const [nonce, chainId, gas, priority] = await Promise.all([
      valueOr("nonce", () => node("eth_getTransactionCount", [account.address, "pending"])),
      node("eth_chainId"),
      valueOr("gas", async () => withMargin(BigInt(String(await node("eth_estimateGas", [request]))))),
      valueOr("maxPriorityFeePerGas", () => node("eth_maxPriorityFeePerGas")),
    ]);
    const maxFeePerGas = await valueOr("maxFeePerGas", async () => {
      const block = await node("eth_getBlockByNumber", ["latest", false]);
      const base = isRecord(block) ? BigInt(String(block.baseFeePerGas ?? 0)) : 0n;
      return base * 2n + priority;
    });
    const { to, value, data } = request as { to?: `0x${string}`; value?: string; data?: `0x${string}` };
    const signed = await account.signTransaction({
      type: "eip1559",
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas,
      maxPriorityFeePerGas: priority,
      maxFeePerGas,
      value: BigInt(value ?? 0),
      ...(to && { to }),
      ...(data && { data }),
    });
    return node("eth_sendRawTransaction", [signed]);
  }
}

function hexBytes(value: unknown): `0x${string}` {
  if (typeof value === "string" && value.startsWith("0x")) return `0x${value.slice(2)}`;
  throw new ProviderError(-32602, "personal_sign takes the message as hex");
}
