import type { TransactionLog } from "@purse/client";
import { type DecodedValue, decodeLog } from "./abi/decode.ts";

/** An asset transfer of a transaction, in log order. */
export interface Flow {
  key: string;
  /** Undefined for the native coin. */
  token: string | undefined;
  from: string;
  to: string;
  /** In the token's smallest unit; 1 for an ERC-721. */
  amount: bigint;
  /** The ID of an NFT. */
  tokenId: string | undefined;
}

export function topicsOf(log: Pick<TransactionLog, "topic0" | "topic1" | "topic2" | "topic3">): string[] {
  return [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => typeof topic === "string");
}

/** The token and NFT transfers in logs. They are claims of the contracts, not verified balances. */
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

/** The net amounts of an address by token, in the smallest unit, without NFTs. */
export function netChanges(flows: readonly Flow[], owner: string): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const { token = "", from, to, amount, tokenId } of flows) {
    if (tokenId !== undefined) continue;
    const change = (to === owner ? amount : 0n) - (from === owner ? amount : 0n);
    if (change !== 0n) changes.set(token, (changes.get(token) ?? 0n) + change);
  }
  return changes;
}
