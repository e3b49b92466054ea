import { isJsonObject } from "@purse/protocol";
import { concat, decodeErrorResult, encodeAbiParameters, type Hex, parseAbi } from "viem";
import type { ChainNode } from "../node/chainNode.ts";
import type { RpcError } from "../node/rpcErrors.ts";

/** Asks a gateway: a GET, or with a body (JSON) a POST. Rejects with Error where it may not be asked or does not answer. */
export type AskGateway = (url: string, body: string | undefined) => Promise<{ status: number; body: string }>;

const LOOKUP = parseAbi([
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
]);
const SELECTOR = "0x556f1830";
/** Lookups that may lead to lookups, and gateways that are tried of each. */
const MAX_LOOKUPS = 4;
const MAX_GATEWAYS = 4;
const GAS = 20_000_000;

/**
 * Calls a contract that may have its answer fetched by gateways (EIP-3668); undefined where it fails, or no gateway that
 * may be asked answers. What a gateway says is judged by the contract.
 */
export async function callOffchain(
  node: ChainNode,
  to: string,
  data: Hex,
  askGateway: AskGateway | undefined,
): Promise<string | undefined> {
  let asked = data;
  for (let lookups = 0; lookups <= MAX_LOOKUPS; lookups++) {
    const outcome = await node.run({ to, data: asked, gas: GAS }, "latest");
    if ("result" in outcome) return typeof outcome.result === "string" ? outcome.result : undefined;
    const lookup = lookupIn(outcome.error);
    // A contract that sends to a gateway for somebody else might have that one's answer trusted.
    if (!lookup || !askGateway || lookup.sender.toLowerCase() !== to.toLowerCase()) return undefined;
    const answer = await ask(lookup, askGateway);
    if (answer === undefined) return undefined;
    asked = concat([
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

function lookupIn({ data }: RpcError): Lookup | undefined {
  if (typeof data !== "string" || !data.startsWith(SELECTOR)) return undefined;
  try {
    const { args } = decodeErrorResult({ abi: LOOKUP, data: `0x${data.slice(2)}` });
    const [sender, urls, callData, callback, extraData] = args;
    return { sender, urls, callData, callback, extraData };
  } catch {
    return undefined;
  }
}

/** The first answer of its gateways, one after the other. */
async function ask({ sender, urls, callData }: Lookup, askGateway: AskGateway): Promise<Hex | undefined> {
  const from = sender.toLowerCase();
  for (const template of urls.slice(0, MAX_GATEWAYS)) {
    const url = template.replaceAll("{sender}", from).replaceAll("{data}", callData);
    const body = template.includes("{data}") ? undefined : JSON.stringify({ data: callData, sender: from });
    try {
      const answer = await askGateway(url, body);
      if (answer.status >= 400 && answer.status < 500) return undefined;
      const read: unknown = JSON.parse(answer.body);
      const data = isJsonObject(read) ? read.data : undefined;
      if (answer.status === 200 && typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data)) {
        return `0x${data.slice(2)}`;
      }
    } catch {
      // The next one is asked.
    }
  }
  return undefined;
}
