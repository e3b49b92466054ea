import type { Abi, DecodeEventLogReturnType, Hex } from "viem";
import { decodeEventLog } from "viem/utils";
import type { LogRow, TradeRow } from "../../model/rows.ts";

export type RawLog = Omit<LogRow, "isErc20">;

/** What a marketplace reports of a sale, beside where it reports it. */
export type Sale = Pick<TradeRow, "token" | "tokenIds" | "seller" | "buyer" | "price" | "priceToken">;

/** Tokens sold at once that are taken. */
export const MAX_TOKENS = 500;
export const MAX_UINT256 = 2n ** 256n - 1n;

export function tradeRow(log: RawLog, sale: Sale): TradeRow {
  const { position, transactionIndex, transactionHash, address } = log;
  return { position, transactionIndex, transactionHash, marketplace: address, ...sale };
}

/** The event that a log is, by all its bytes; undefined where it only looks like it. */
export function decodedEvent<const abi extends Abi>(
  abi: abi,
  { topics, data }: RawLog,
): DecodeEventLogReturnType<abi> | undefined {
  const [first, ...others] = topics.map(hexOf);
  if (first === undefined) return undefined;
  try {
    return decodeEventLog({ abi, topics: [first, ...others], data: hexOf(data), strict: true });
  } catch {
    return undefined;
  }
}

/** 32 bytes, which sort as the numbers that they stand for. */
export function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
