import { parseAbi, toEventSelector } from "viem/utils";
import { toWord } from "../../model/hexBytes.ts";
import type { RawLog } from "../../model/rows.ts";
import { decodeStrict, MAX_TOKENS_PER_SALE, MAX_UINT256, type Sale } from "./sale.ts";

/** Event of all Seaport versions since 1.1. */
const fulfilled = parseAbi([
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
  "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);
/** Since version 1.2: names matched orders, directly after their OrderFulfilled events. */
const matched = parseAbi(["event OrdersMatched(bytes32[] orderHashes)"]);
const FULFILLED_TOPIC = toEventSelector(fulfilled[0]);
const MATCHED_TOPIC = toEventSelector(matched[0]);
export const SEAPORT_TOPICS: ReadonlySet<string> = new Set([FULFILLED_TOPIC, MATCHED_TOPIC]);

/** Seaport's item types. */
const NATIVE = 0;
const ERC20 = 1;
const ERC721 = 2;
const ERC1155 = 3;

/** Addresses are in lower case. */
export interface OfferedItem {
  itemType: number;
  token: string;
  identifier: bigint;
  amount: bigint;
}

interface ReceivedItem extends OfferedItem {
  recipient: string;
}

/** A fulfilled order with the transferred amounts; for partial fills, those of the filled part. */
export interface FulfilledOrder {
  log: RawLog;
  orderHash: string;
  offerer: string;
  /** Recipient of the offer; for matched orders the matcher, in version 1.1 the null address. */
  recipient: string;
  offer: OfferedItem[];
  consideration: ReceivedItem[];
}

type Items = Pick<FulfilledOrder, "offer" | "consideration">;
type Priced = Pick<Sale, "token" | "tokenIds" | "price" | "priceToken">;

export function decodeFulfilledOrder(log: RawLog): FulfilledOrder | undefined {
  if (log.topics[0] !== FULFILLED_TOPIC) return undefined;
  const args = decodeStrict(fulfilled, log)?.args;
  if (!args) return undefined;
  return {
    log,
    orderHash: args.orderHash,
    offerer: args.offerer.toLowerCase(),
    recipient: args.recipient.toLowerCase(),
    offer: args.offer.map(item),
    consideration: args.consideration.map((each) => ({
      ...item(each),
      recipient: each.recipient.toLowerCase(),
    })),
  };
}

/** The hashes of the orders that a log reports as matched; undefined for other logs. */
export function matchedOrderHashes(log: RawLog): readonly string[] | undefined {
  if (log.topics[0] !== MATCHED_TOPIC) return undefined;
  return decodeStrict(matched, log)?.args.orderHashes;
}

/** The sale of an order that was fulfilled individually; undefined if it has no price. */
export function toDirectSale(order: FulfilledOrder): Sale | undefined {
  const { offerer, recipient } = order;
  const ask = toAsk(order);
  if (ask) return { ...ask, seller: offerer, buyer: recipient };
  const bid = toBid(order);
  return bid && { ...bid, seller: recipient, buyer: offerer };
}

/** What an order that offers NFTs sells, with the total price; undefined if it has no price. */
export function toAsk({ offer, consideration }: Items): Priced | undefined {
  if (offer.length === 0 || !offer.every(isNft)) return undefined;
  // A listing for a specific buyer includes the delivery of its own tokens in the consideration.
  const payments = consideration.filter((each) => !offer.some((own) => isSameToken(own, each)));
  return toPriced(offer, payments);
}

/** What an order that offers a payment buys, with the total price; undefined if it has no price. */
export function toBid({ offer, consideration }: Items): Priced | undefined {
  return toPriced(consideration.filter(isNft), offer);
}

export function isNft({ itemType }: OfferedItem): boolean {
  return itemType === ERC721 || itemType === ERC1155;
}

function isSameToken(a: OfferedItem, b: OfferedItem): boolean {
  return isNft(b) && a.token === b.token && a.identifier === b.identifier;
}

/** Requires tokens of one collection and a payment in one currency, to any number of recipients. */
function toPriced(tokens: readonly OfferedItem[], payments: readonly OfferedItem[]): Priced | undefined {
  const [token] = tokens;
  const [payment] = payments;
  if (!token || !payment || tokens.length > MAX_TOKENS_PER_SALE) return undefined;
  if (tokens.some((each) => each.token !== token.token)) return undefined;
  const isOneCurrency = payments.every(
    ({ itemType, token: currency }) =>
      itemType === payment.itemType &&
      (itemType === NATIVE || (itemType === ERC20 && currency === payment.token)),
  );
  const price = payments.reduce((sum, { amount }) => sum + amount, 0n);
  if (!isOneCurrency || price === 0n || price > MAX_UINT256) return undefined;
  return {
    token: token.token,
    tokenIds: [...new Set(tokens.map(({ identifier }) => identifier.toString()))],
    price: toWord(price),
    priceToken: payment.itemType === NATIVE ? null : payment.token,
  };
}

function item({ itemType, token, identifier, amount }: OfferedItem): OfferedItem {
  return { itemType, token: token.toLowerCase(), identifier, amount };
}
