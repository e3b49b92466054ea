import { parseAbi, toEventSelector } from "viem/utils";
import { decodedEvent, MAX_TOKENS, MAX_UINT256, type RawLog, type Sale, word } from "./sale.ts";

/** Seaport's event of every version (from 1.1 on). */
const fulfilled = parseAbi([
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
  "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);
/** From version 1.2 on: names orders that were matched with each other, right behind their OrderFulfilled. */
const matched = parseAbi(["event OrdersMatched(bytes32[] orderHashes)"]);
const FULFILLED_TOPIC = toEventSelector(fulfilled[0]);
const MATCHED_TOPIC = toEventSelector(matched[0]);
export const SEAPORT_TOPICS: ReadonlySet<string> = new Set([FULFILLED_TOPIC, MATCHED_TOPIC]);

/** Seaport's kinds of items. */
const COIN = 0;
const ERC20 = 1;
const ERC721 = 2;
const ERC1155 = 3;

/** Addresses are lower-case. */
export interface OfferedItem {
  itemType: number;
  token: string;
  identifier: bigint;
  amount: bigint;
}

export interface ReceivedItem extends OfferedItem {
  recipient: string;
}

/** An order that was fulfilled, with the amounts that moved: those of the part that was filled. */
export interface FulfilledOrder {
  log: RawLog;
  orderHash: string;
  offerer: string;
  /** Who got what was offered; of matched orders the matcher, in version 1.1 the null address. */
  recipient: string;
  offer: OfferedItem[];
  consideration: ReceivedItem[];
}

type Items = Pick<FulfilledOrder, "offer" | "consideration">;
type Priced = Pick<Sale, "token" | "tokenIds" | "price" | "priceToken">;

export function fulfilledOrder(log: RawLog): FulfilledOrder | undefined {
  if (log.topics[0] !== FULFILLED_TOPIC) return undefined;
  const args = decodedEvent(fulfilled, log)?.args;
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

/** The orders that a log names as matched with each other; undefined for other logs. */
export function matchedHashes(log: RawLog): readonly string[] | undefined {
  if (log.topics[0] !== MATCHED_TOPIC) return undefined;
  return decodedEvent(matched, log)?.args.orderHashes;
}

/** The sale that an order is which was fulfilled by itself; undefined where it has no price. */
export function directSale(order: FulfilledOrder): Sale | undefined {
  const { offerer, recipient } = order;
  const ask = askOf(order);
  if (ask) return { ...ask, seller: offerer, buyer: recipient };
  const bid = bidOf(order);
  return bid && { ...bid, seller: recipient, buyer: offerer };
}

/** What an order that offers NFTs sells, and for how much all together receive; undefined where it has no price. */
export function askOf({ offer, consideration }: Items): Priced | undefined {
  if (offer.length === 0 || !offer.every(isNft)) return undefined;
  // A listing for one buyer has its own tokens delivered to them, beside the payments.
  const payments = consideration.filter((each) => !offer.some((own) => isSameToken(own, each)));
  return priced(offer, payments);
}

/** What an order that offers payment buys with all of it; undefined where it has no price. */
export function bidOf({ offer, consideration }: Items): Priced | undefined {
  return priced(consideration.filter(isNft), offer);
}

export function isNft({ itemType }: OfferedItem): boolean {
  return itemType === ERC721 || itemType === ERC1155;
}

function isSameToken(a: OfferedItem, b: OfferedItem): boolean {
  return isNft(b) && a.token === b.token && a.identifier === b.identifier;
}

/** Tokens of one collection for payment in one currency, whoever gets a part of it. */
function priced(tokens: readonly OfferedItem[], payments: readonly OfferedItem[]): Priced | undefined {
  const [token] = tokens;
  const [payment] = payments;
  if (!token || !payment || tokens.length > MAX_TOKENS) return undefined;
  if (tokens.some((each) => each.token !== token.token)) return undefined;
  const isOneCurrency = payments.every(
    ({ itemType, token: currency }) =>
      itemType === payment.itemType &&
      (itemType === COIN || (itemType === ERC20 && currency === payment.token)),
  );
  const price = payments.reduce((sum, { amount }) => sum + amount, 0n);
  if (!isOneCurrency || price === 0n || price > MAX_UINT256) return undefined;
  return {
    token: token.token,
    tokenIds: [...new Set(tokens.map(({ identifier }) => identifier.toString()))],
    price: word(price),
    priceToken: payment.itemType === COIN ? null : payment.token,
  };
}

function item({ itemType, token, identifier, amount }: OfferedItem): OfferedItem {
  return { itemType, token: token.toLowerCase(), identifier, amount };
}
