import { isJsonObject } from "@purse/protocol";
import { concat, decodeErrorResult, encodeAbiParameters, type Hex, parseAbi } from "viem";
import type { ChainNode } from "../node/chainNode.ts";
import type { RpcError } from "../node/rpcErrors.ts";

/**
 * Sends a request to a gateway: GET, or POST with a JSON body. Rejects with Error if the request is not allowed or
 * fails.
 */
export type CallGateway = (
  url: string,
  body: string | undefined,
) => Promise<{ status: number; body: string }>;

const LOOKUP = parseAbi([
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
]);
const SELECTOR = "0x556f1830";
/** Max nested lookups, and max gateways per lookup. */
const MAX_LOOKUPS = 4;
const MAX_GATEWAYS = 4;
const GAS = 20_000_000;

/**
 * Calls a contract that may refer to gateways (EIP-3668); undefined if it fails or no gateway responds. The contract
 * verifies the gateway's response.
 */
export async function callOffchain(
  node: ChainNode,
  to: string,
  data: Hex,
  callGateway: CallGateway | undefined,
): Promise<string | undefined> {
  let callData = data;
  for (let lookups = 0; lookups <= MAX_LOOKUPS; lookups++) {
    const outcome = await node.callWithError({ to, data: callData, gas: GAS }, "latest");
    if ("result" in outcome) return typeof outcome.result === "string" ? outcome.result : undefined;
    const lookup = parseLookup(outcome.error);
    // A lookup on behalf of another contract could forge a response to it.
    if (!lookup || !callGateway || lookup.sender.toLowerCase() !== to.toLowerCase()) return undefined;
    const answer = await queryGateways(lookup, callGateway);
    if (answer === undefined) return undefined;
    callData = concat([
      lookup.callback,
      encodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], [answer, lookup.extraData]),
    ]);
  }
  return undefined;
}

interface Lookup {
  sender: Hex;
  urls: readonly string[];
  callData: Hex;
  callback: Hex;
  extraData: Hex;
}

function parseLookup({ data }: RpcError): Lookup | undefined {
  if (typeof data !== "string" || !data.startsWith(SELECTOR)) return undefined;
  try {
    const { args } = decodeErrorResult({ abi: LOOKUP, data: `0x${data.slice(2)}` });
    const [sender, urls, callData, callback, extraData] = args;
    return { sender, urls, callData, callback, extraData };
  } catch {
    return undefined;
  }
}

/** Returns the first successful response of the gateways. */
async function queryGateways(
  { sender, urls, callData }: Lookup,
  callGateway: CallGateway,
): Promise<Hex | undefined> {
  const from = sender.toLowerCase();
  for (const template of urls.slice(0, MAX_GATEWAYS)) {
    const url = template.replaceAll("{sender}", from).replaceAll("{data}", callData);
    const body = template.includes("{data}") ? undefined : JSON.stringify({ data: callData, sender: from });
    try {
      const answer = await callGateway(url, body);
      if (answer.status >= 400 && answer.status < 500) return undefined;
      const read: unknown = JSON.parse(answer.body);
      const data = isJsonObject(read) ? read.data : undefined;
      if (answer.status === 200 && typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) {
        return `0x${data.slice(2)}`;
      }
    } catch {
      // Try the next gateway.
    }
  }
  return undefined;
}
