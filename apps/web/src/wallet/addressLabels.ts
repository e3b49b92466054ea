import { Web3API } from "@purse/client";
import { batchCall } from "./batchCall.ts";

/** What is known of an address besides itself. */
export interface AddressLabel {
  /** The name that it has set for itself (ENS). */
  name: string | null;
  /** The symbol of the token that it is. Anyone can choose a symbol. */
  token: string | null;
}

/** How long labels are cached, in ms. */
const MAX_AGE_MS = 300_000;
/** The server reads the metadata of at most this many tokens per request. */
const MAX_BATCH_SIZE = 100;
/** Maximum number of cached labels. */
const MAX_CACHED = 2_000;

const known = new Map<string, { at: number; label: Promise<AddressLabel> }>();
let waiting = new Map<string, { chain: string; address: string; resolve: (label: AddressLabel) => void }>();

/**
 * The label of an address (lower-case hex) on a chain. Those of one page are read together. A failed read gives no
 * label and is tried again later.
 */
export function addressLabel(chain: string, address: string): Promise<AddressLabel> {
  const key = `${chain}/${address}`;
  const found = known.get(key);
  if (found && Date.now() - found.at < MAX_AGE_MS) return found.label;
  const label = new Promise<AddressLabel>((resolve) => {
    if (waiting.size === 0) setTimeout(() => void readWaiting(), 20);
    waiting.set(key, { chain, address, resolve });
  });
  if (known.size >= MAX_CACHED) known.clear();
  known.set(key, { at: Date.now(), label });
  return label;
}

async function readWaiting(): Promise<void> {
  const all = [...waiting.entries()];
  waiting = new Map();
  for (const chain of new Set(all.map(([, each]) => each.chain))) {
    const ofChain = all.filter(([, each]) => each.chain === chain);
    for (let start = 0; start < ofChain.length; start += MAX_BATCH_SIZE) {
      const part = ofChain.slice(start, start + MAX_BATCH_SIZE);
      const addresses = part.map(([, each]) => each.address);
      const [names, tokens] = await Promise.all([
        batchCall(
          "resolveAddress",
          addresses.map((address) => ({ address })),
        ).catch(() => undefined),
        Web3API.token.getTokenMetadata({ chain, addresses }).catch(() => undefined),
      ]);
      const symbols = new Map((tokens ?? []).map(({ address, symbol }) => [address.toLowerCase(), symbol]));
      part.forEach(([key, { address, resolve }], i) => {
        if (!names || !tokens) known.delete(key);
        const response = names?.[i];
        const name: unknown = response && "result" in response ? Object(response.result).name : null;
        resolve({
          name: typeof name === "string" && name !== "" ? name.slice(0, 80) : null,
          token: symbols.get(address)?.slice(0, 20) || null,
        });
      });
    }
  }
}
