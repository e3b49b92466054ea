import type { Abi, DecodeEventLogReturnType } from "viem";
import { decodeEventLog } from "viem/utils";
import { asHex, toWord } from "../../model/hexBytes.ts";
import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";

/** A sale as a marketplace reports it, without the position of the report. */
export type Sale = Pick<TradeRow, "token" | "tokenIds" | "seller" | "buyer" | "price" | "priceToken">;

/** Max tokens of one sale; larger sales are ignored. */
export const MAX_TOKENS_PER_SALE = 500;
export const MAX_UINT256 = 2n ** 256n - 1n;

export function tradeRow(log: RawLog, sale: Sale): TradeRow {
  const { position, transactionIndex, transactionHash, address } = log;
  return { position, transactionIndex, transactionHash, marketplace: address, ...sale };
}

/** A sale as decoded from a log: addresses in any case, the null address for the native coin. */
export interface DecodedSale {
  token: string;
  /** Decimal as text. */
  tokenIds: readonly (bigint | string)[];
  seller: string;
  buyer: string;
  price: bigint;
  currency: string;
}

/** The row of a sale; none for gifts, and for sales of too many tokens. */
export function saleRow(log: RawLog, { tokenIds, price, ...sale }: DecodedSale): TradeRow[] {
  if (price === 0n || price > MAX_UINT256) return [];
  if (tokenIds.length === 0 || tokenIds.length > MAX_TOKENS_PER_SALE) return [];
  const currency = sale.currency.toLowerCase();
  return [
    tradeRow(log, {
      token: sale.token.toLowerCase(),
      tokenIds: tokenIds.map(String),
      seller: sale.seller.toLowerCase(),
      buyer: sale.buyer.toLowerCase(),
      price: toWord(price),
      priceToken: currency === NULL_ADDRESS ? null : currency,
    }),
  ];
}

/** Decodes a log strictly; undefined if only its topic matches. */
export function decodeStrict<const abi extends Abi>(
  abi: abi,
  { topics, data }: RawLog,
): DecodeEventLogReturnType<abi> | undefined {
  const [first, ...others] = topics.map(asHex);
  if (first === undefined) return undefined;
  try {
    return decodeEventLog({ abi, topics: [first, ...others], data: asHex(data), strict: true });
  } catch {
    return undefined;
  }
}
