import type { TransactionLog } from "@purse/client";
import { type DecodedValue, decodeLog } from "./abi/decode.ts";

/** Something that a transaction has moved, in the order of its logs. */
export interface Flow {
  key: string;
  /** Undefined for the chain's own coin. */
  token: string | undefined;
  from: string;
  to: string;
  /** In the token's smallest unit; 1 for an ERC-721. */
  amount: bigint;
  /** Of an NFT. */
  tokenId: string | undefined;
}

export function topicsOf(log: Pick<TransactionLog, "topic0" | "topic1" | "topic2" | "topic3">): string[] {
  return [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => typeof topic === "string");
}

/** The tokens and NFTs that these logs tell of. What contracts write in their logs is their word, not the chain's. */
export function flowsOf(logs: readonly TransactionLog[]): Flow[] {
  return logs.flatMap((log) => {
    const decoded = decodeLog({ data: log.data, topics: topicsOf(log) });
    if (!decoded) return [];
    const text = (name: string) => decoded.values.find((value) => value.name === name)?.text;
    const itemsOf = (name: string) => decoded.values.find((value) => value.name === name)?.items ?? [];
    const flow = (amount: string, tokenId: string | undefined, part = 0): Flow => ({
      key: `${log.log_index}/${part}`,
      token: log.address,
      from: text("from")?.toLowerCase() ?? "",
      to: text("to")?.toLowerCase() ?? "",
      amount: BigInt(amount),
      tokenId,
    });
    if (decoded.name === "Transfer") {
      const tokenId = text("tokenId");
      return [flow(tokenId === undefined ? (text("value") ?? "0") : "1", tokenId)];
    }
    if (decoded.name === "TransferSingle") return [flow(text("value") ?? "0", text("id"))];
    if (decoded.name === "TransferBatch") return batch(itemsOf("ids"), itemsOf("values"), flow);
    return [];
  });
}

function batch(
  ids: DecodedValue[],
  values: DecodedValue[],
  flow: (amount: string, tokenId: string | undefined, part: number) => Flow,
): Flow[] {
  return ids.flatMap((id, i) => {
    const value = values[i];
    return value ? [flow(value.text, id.text, i)] : [];
  });
}

/** What somebody has more or less of after some flows: by token, in its smallest unit, NFTs left out. */
export function netChanges(flows: readonly Flow[], owner: string): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const { token = "", from, to, amount, tokenId } of flows) {
    if (tokenId !== undefined) continue;
    const change = (to === owner ? amount : 0n) - (from === owner ? amount : 0n);
    if (change !== 0n) changes.set(token, (changes.get(token) ?? 0n) + change);
  }
  return changes;
}

/** Who has how much after all transfers of a token, most first; what comes from the zero address is made. */
export function holdersOf(
  transfers: readonly { from_address: string; to_address: string; value: string }[],
): { address: string; balance: bigint }[] {
  const balances = new Map<string, bigint>();
  const add = (address: string, amount: bigint) =>
    balances.set(address, (balances.get(address) ?? 0n) + amount);
  for (const { from_address, to_address, value } of transfers) {
    add(from_address, -BigInt(value));
    add(to_address, BigInt(value));
  }
  return [...balances]
    .filter(([address, balance]) => balance > 0n && !/^0x0{40}$/.test(address))
    .map(([address, balance]) => ({ address, balance }))
    .sort((a, b) => (a.balance < b.balance ? 1 : -1));
}
