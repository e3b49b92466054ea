import { decodeAbiParameters, parseAbi, parseAbiParameters, toEventSelector } from "viem/utils";
import type { RawLog, TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";
import type { TransactionContext } from "./transactionContext.ts";

const events = parseAbi([
  "struct Item { uint256 price; bytes data; }",
  "struct Fee { uint256 percentage; address to; }",
  "struct Detail { uint8 op; uint256 orderIdx; uint256 itemIdx; uint256 price; bytes32 itemHash; address executionDelegate; bytes dataReplacement; uint256 bidIncentivePct; uint256 aucMinIncrementPct; uint256 aucIncDurationSecs; Fee[] fees; }",
  "event EvInventory(bytes32 indexed itemHash, address maker, address taker, uint256 orderSalt, uint256 settleSalt, uint256 intent, uint256 delegateType, uint256 deadline, address currency, bytes dataMask, Item item, Detail detail)",
]);
export const X2Y2_TOPICS: ReadonlySet<string> = new Set(events.map((event) => toEventSelector(event)));

/** Operations that are sales: a listing or an offer is accepted. The others concern auctions and cancellations. */
const SELL_OFFER = 1;
const BUY_OFFER = 2;
/** Delegate types. */
const ERC721 = 1;
const ERC1155 = 2;
const PAIRS = parseAbiParameters("(address token, uint256 tokenId)[]");
const AMOUNTS = parseAbiParameters("(address token, uint256 tokenId, uint256 amount)[]");

export function x2y2Trades(log: RawLog, { transfers }: TransactionContext): TradeRow[] {
  const args = decodeStrict(events, log)?.args;
  if (!args || (args.detail.op !== SELL_OFFER && args.detail.op !== BUY_OFFER)) return [];
  const items = itemsOf(args.delegateType, args.item.data);
  const [first] = items;
  if (!first || items.some(({ token }) => token !== first.token)) return [];
  // The data of an offer for any token of a collection may be a placeholder.
  const isDelivered = items.every(
    ({ token, tokenId }) => transfers.ofToken(token.toLowerCase(), tokenId).length > 0,
  );
  if (!isDelivered) return [];
  const [seller, buyer] = args.detail.op === SELL_OFFER ? [args.maker, args.taker] : [args.taker, args.maker];
  return saleRow(log, {
    token: first.token,
    tokenIds: items.map(({ tokenId }) => tokenId),
    seller,
    buyer,
    price: args.detail.price,
    currency: args.currency,
  });
}

function itemsOf(delegateType: bigint, data: `0x${string}`): readonly { token: string; tokenId: bigint }[] {
  try {
    if (Number(delegateType) === ERC721) return decodeAbiParameters(PAIRS, data)[0];
    return Number(delegateType) === ERC1155 ? decodeAbiParameters(AMOUNTS, data)[0] : [];
  } catch {
    return [];
  }
}
