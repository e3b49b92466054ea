import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Stream } from "./stream.ts";

/** The lists of a message by the types of native balances. */
const LISTS = {
  tx: "txs",
  log: "logs",
  erc20transfer: "erc20Transfers",
  erc20approval: "erc20Approvals",
  nfttransfer: "nftTransfers",
  internalTx: "txsInternal",
} as const;

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** The addresses whose native balances a message contains, in the order of the stream's selectors. */
export function balanceAddresses({ nativeBalances }: Stream, payload: JsonObject): string[] {
  const addresses = nativeBalances.flatMap(({ type, selectors }) => {
    const entries = payload[LISTS[type]];
    const list = Array.isArray(entries) ? entries.filter(isJsonObject) : [];
    return list.flatMap((entry) => selectors.map((selector) => select(entry, selector)));
  });
  return [...new Set(addresses.filter((each) => typeof each === "string" && ADDRESS.test(each)))].map(String);
}

function select(entry: JsonObject, selector: string): JsonValue {
  if (!selector.startsWith("$")) return selector.toLowerCase();
  const name = selector.slice(1);
  if (name === "contract") return entry.contract ?? entry.address ?? null;
  return Object.hasOwn(entry, name) ? (entry[name] ?? null) : null;
}
