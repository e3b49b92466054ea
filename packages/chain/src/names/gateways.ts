import { isJsonObject, tryParseJson } from "@purse/protocol";
import type { CcipRequestParameters, Hex } from "viem";

/**
 * Sends a request to a gateway: GET, or POST with a JSON body. Rejects with Error if the request is not allowed or
 * fails.
 */
export type CallGateway = (
  url: string,
  body: string | undefined,
) => Promise<{ status: number; body: string }>;

/** Max lookups per call, and max gateways per lookup. */
const MAX_LOOKUPS = 4;
const MAX_GATEWAYS = 4;

/**
 * Creates the function that requests the data of one contract call from gateways (EIP-3668). It returns the first
 * successful response and rejects with Error if there is none.
 */
export function createGatewayRequest(
  callGateway: CallGateway,
): (lookup: CcipRequestParameters) => Promise<Hex> {
  let lookups = 0;
  return async ({ sender, urls, data }) => {
    lookups += 1;
    if (lookups > MAX_LOOKUPS) throw new Error("the contract refers to gateways too often");
    const from = sender.toLowerCase();
    for (const template of urls.slice(0, MAX_GATEWAYS)) {
      const url = template.replaceAll("{sender}", from).replaceAll("{data}", data);
      const body = template.includes("{data}") ? undefined : JSON.stringify({ data, sender: from });
      const response = await callGateway(url, body).catch(() => undefined);
      if (response && response.status >= 400 && response.status < 500) break;
      const result = response?.status === 200 ? parseData(response.body) : undefined;
      if (result) return result;
    }
    throw new Error("no gateway responded");
  };
}

function parseData(body: string): Hex | undefined {
  const response = tryParseJson(body);
  const data = isJsonObject(response) ? response.data : undefined;
  return typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data) ? `0x${data.slice(2)}` : undefined;
}
