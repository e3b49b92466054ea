import type { DecodeEventLogReturnType, Hex } from "viem";
import { decodeEventLog, parseAbi, toEventSelector } from "viem/utils";
import { type LogRow, type NftTransferRow, NULL_ADDRESS, type TradeRow } from "../store/rows.ts";

/** Seaport's event of every version (from 1.1 on). */
const seaport = parseAbi([
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
  "event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);
/** Of LooksRare's second version. */
const looksRare = parseAbi([
  "struct Nonce { bytes32 orderHash; uint256 orderNonce; bool isNonceInvalidated; }",
  "event TakerAsk(Nonce nonce, address askUser, address bidUser, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
  "event TakerBid(Nonce nonce, address bidUser, address bidRecipient, uint256 strategyId, address currency, address collection, uint256[] itemIds, uint256[] amounts, address[2] feeRecipients, uint256[3] feeAmounts)",
]);
const SEAPORT_TOPIC = toEventSelector(seaport[0]);
const LOOKSRARE_TOPICS: ReadonlySet<string> = new Set(looksRare.map((event) => toEventSelector(event)));

/** Seaport's kinds of items. */
const COIN = 0;
const ERC20 = 1;
const ERC721 = 2;
const ERC1155 = 3;

/** Tokens sold at once that are taken. */
const MAX_TOKENS = 500;
/** Hex digits of a log that is read: as many as MAX_TOKENS items have. */
const MAX_DATA = MAX_TOKENS * 64 * 6;
const MAX_UINT256 = 2n ** 256n - 1n;

type RawLog = Omit<LogRow, "isErc20">;

/** What is told of a sale, beside where it was told. */
type Sale = Pick<TradeRow, "token" | "tokenIds" | "seller" | "buyer" | "price" | "priceToken">;

interface Item {
  itemType: number;
  token: string;
  identifier: bigint;
  amount: bigint;
}

/**
 * Finds the sales of NFTs among logs, whoever tells of them: which contracts are to be believed is a matter of the question.
 * Left out are swaps for other NFTs, gifts, and what is paid in several currencies, or is of several collections: none of
 * these has a price.
 */
export function decodeTrades(logs: readonly RawLog[], nftTransfers: readonly NftTransferRow[]): TradeRow[] {
  return logs.flatMap((log): TradeRow[] => {
    const [topic] = log.topics;
    if (topic === undefined || log.data.length > MAX_DATA) return [];
    const sale =
      topic === SEAPORT_TOPIC
        ? seaportSale(log, nftTransfers)
        : LOOKSRARE_TOPICS.has(topic)
          ? looksRareSale(log)
          : undefined;
    if (!sale) return [];
    const { position, transactionIndex, transactionHash, address } = log;
    return [{ position, transactionIndex, transactionHash, marketplace: address, ...sale }];
  });
}

function seaportSale(log: RawLog, nftTransfers: readonly NftTransferRow[]): Sale | undefined {
  const args = decoded(seaport, log)?.args;
  if (!args) return undefined;
  const { offerer, recipient, offer, consideration } = args;
  const sold = offer.length > 0 && offer.every(isNft);
  // Who sells offers the tokens; who bids offers the payment and wants the tokens.
  const tokens = goods(sold ? offer : consideration.filter(isNft));
  const paid = payment(sold ? consideration : offer);
  if (!tokens || !paid) return undefined;
  const [maker, taker] = [offerer.toLowerCase(), recipient.toLowerCase()];
  if (taker !== NULL_ADDRESS) {
    const [seller, buyer] = sold ? [maker, taker] : [taker, maker];
    return { ...tokens, ...paid, seller, buyer };
  }
  // Where orders are matched, both sides tell of the same sale and none tells who took it: the seller's counts.
  if (!sold) return undefined;
  const buyer = receiver(log, maker, tokens, nftTransfers);
  return buyer === undefined ? undefined : { ...tokens, ...paid, seller: maker, buyer };
}

function looksRareSale(log: RawLog): Sale | undefined {
  const event = decoded(looksRare, log);
  if (!event) return undefined;
  const { currency, collection, itemIds, feeAmounts } = event.args;
  const price = feeAmounts.reduce((sum, each) => sum + each, 0n);
  if (price === 0n || price > MAX_UINT256 || itemIds.length === 0 || itemIds.length > MAX_TOKENS)
    return undefined;
  const [seller, buyer] =
    event.eventName === "TakerAsk"
      ? [event.args.askUser, event.args.bidUser]
      : [event.args.feeRecipients[0], event.args.bidRecipient];
  const priceToken = currency.toLowerCase();
  return {
    token: collection.toLowerCase(),
    tokenIds: itemIds.map(String),
    seller: seller.toLowerCase(),
    buyer: buyer.toLowerCase(),
    price: word(price),
    priceToken: priceToken === NULL_ADDRESS ? null : priceToken,
  };
}

/** The event that a log is, by all its bytes; undefined where it only looks like it. */
function decoded<const abi extends typeof seaport | typeof looksRare>(
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

/** The tokens that are sold: of one collection. */
function goods(items: readonly Item[]): Pick<Sale, "token" | "tokenIds"> | undefined {
  const [first] = items;
  if (!first || items.length > MAX_TOKENS || items.some(({ token }) => token !== first.token))
    return undefined;
  return {
    token: first.token.toLowerCase(),
    tokenIds: [...new Set(items.map(({ identifier }) => identifier.toString()))],
  };
}

/** What is paid: in one currency, whoever gets a part of it. */
function payment(items: readonly Item[]): Pick<Sale, "price" | "priceToken"> | undefined {
  const [first] = items;
  const isOne = items.every(
    ({ itemType, token }) =>
      itemType === first?.itemType && (itemType === COIN || (itemType === ERC20 && token === first.token)),
  );
  const price = items.reduce((sum, { amount }) => sum + amount, 0n);
  if (!first || !isOne || price === 0n || price > MAX_UINT256) return undefined;
  return { price: word(price), priceToken: first.itemType === COIN ? null : first.token.toLowerCase() };
}

/** To whom the first of the tokens went in the same transaction. */
function receiver(
  { transactionHash }: RawLog,
  seller: string,
  { token, tokenIds: [id] }: Pick<Sale, "token" | "tokenIds">,
  nftTransfers: readonly NftTransferRow[],
): string | undefined {
  return nftTransfers.find(
    (transfer) =>
      transfer.transactionHash === transactionHash &&
      transfer.token === token &&
      transfer.from === seller &&
      BigInt(transfer.tokenId).toString() === id,
  )?.to;
}

function isNft({ itemType }: Item): boolean {
  return itemType === ERC721 || itemType === ERC1155;
}

/** 32 bytes, which are in the order of what they stand for. */
function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}
