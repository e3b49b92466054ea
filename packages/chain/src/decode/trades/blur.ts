import { parseAbi, toEventSelector } from "viem/utils";
import { NULL_ADDRESS, type RawLog, type TradeRow } from "../../model/rows.ts";
import { decodeStrict, saleRow } from "./sale.ts";
import type { TransactionContext } from "./transactionContext.ts";

/** Blur v1: both orders of a match. */
const matches = parseAbi([
  "struct Fee { uint16 rate; address recipient; }",
  "struct Order { address trader; uint8 side; address matchingPolicy; address collection; uint256 tokenId; uint256 amount; address paymentToken; uint256 price; uint256 listingTime; uint256 expirationTime; Fee[] fees; uint256 salt; bytes extraParams; }",
  "event OrdersMatched(address indexed maker, address indexed taker, Order sell, bytes32 sellHash, Order buy, bytes32 buyHash)",
]);
/** Blur v2: an execution, in general and for single ERC-721 tokens with at most one fee. */
const executions = parseAbi([
  "struct Transfer { address trader; uint256 id; uint256 amount; address collection; uint8 assetType; }",
  "struct FeeRate { address recipient; uint16 rate; }",
  "struct Fees { FeeRate protocolFee; FeeRate takerFee; }",
  "event Execution(Transfer transfer, bytes32 orderHash, uint256 listingIndex, uint256 price, FeeRate makerFee, Fees fees, uint8 orderType)",
]);
const packed = parseAbi([
  "event Execution721Packed(bytes32 orderHash, uint256 tokenIdListingIndexTrader, uint256 collectionPriceSide)",
  "event Execution721MakerFeePacked(bytes32 orderHash, uint256 tokenIdListingIndexTrader, uint256 collectionPriceSide, uint256 makerFeeRecipientRate)",
  "event Execution721TakerFeePacked(bytes32 orderHash, uint256 tokenIdListingIndexTrader, uint256 collectionPriceSide, uint256 takerFeeRecipientRate)",
]);
const MATCH_TOPIC = toEventSelector(matches[0]);
const EXECUTION_TOPIC = toEventSelector(executions[0]);
const PACKED_TOPICS: ReadonlySet<string> = new Set(packed.map((event) => toEventSelector(event)));
export const BLUR_TOPICS: ReadonlySet<string> = new Set([MATCH_TOPIC, EXECUTION_TOPIC, ...PACKED_TOPICS]);

/** Side of an order by which its maker buys; it is paid from Blur's pool of deposited coins. */
const BID = 1;
export const BLUR_POOL = "0x0000000000a39bb272e79075ade125fd351887ac";

export function blurTrades(log: RawLog, context: TransactionContext): TradeRow[] {
  const [topic = ""] = log.topics;
  if (topic === MATCH_TOPIC) return matchedTrade(log);
  const execution = topic === EXECUTION_TOPIC ? decodeExecution(log) : unpackExecution(log);
  return execution ? executionTrade(log, execution, context) : [];
}

/** In the sell order, the id is always that of the sold token. */
function matchedTrade(log: RawLog): TradeRow[] {
  const args = decodeStrict(matches, log)?.args;
  if (args?.sell.amount !== 1n) return [];
  const { sell, buy } = args;
  const { collection, tokenId, price, paymentToken } = sell;
  return saleRow(log, {
    token: collection,
    tokenIds: [tokenId],
    seller: sell.trader,
    buyer: buy.trader,
    price,
    currency: paymentToken,
  });
}

interface Execution {
  token: string;
  tokenId: bigint;
  /** The maker of the order. */
  trader: string;
  price: bigint;
  isBid: boolean;
}

function decodeExecution(log: RawLog): Execution | undefined {
  const args = decodeStrict(executions, log)?.args;
  // The price is that of one item.
  if (args?.transfer.amount !== 1n) return undefined;
  const { collection, id, trader } = args.transfer;
  return {
    token: collection.toLowerCase(),
    tokenId: id,
    trader: trader.toLowerCase(),
    price: args.price,
    isBid: args.orderType === BID,
  };
}

/** Unpacks token id (11 bytes), listing index (1) and trader (20); side (1), price (11) and collection (20). */
function unpackExecution(log: RawLog): Execution | undefined {
  const args = decodeStrict(packed, log)?.args;
  if (!args) return undefined;
  const [first, second] = [args.tokenIdListingIndexTrader, args.collectionPriceSide].map((word) =>
    word.toString(16).padStart(64, "0"),
  );
  if (first === undefined || second === undefined) return undefined;
  return {
    token: `0x${second.slice(24)}`,
    tokenId: BigInt(`0x${first.slice(0, 22)}`),
    trader: `0x${first.slice(24)}`,
    price: BigInt(`0x${second.slice(2, 24)}`),
    isBid: Number.parseInt(second.slice(0, 2), 16) === BID,
  };
}

/** The other party is found by the transfer of the token. */
function executionTrade(
  log: RawLog,
  { token, tokenId, trader, price, isBid }: Execution,
  { transfers }: TransactionContext,
): TradeRow[] {
  const moves = transfers.ofToken(token, tokenId);
  const delivery = moves.find(({ from, to }) => (isBid ? to : from) === trader);
  if (!delivery) return [];
  return saleRow(log, {
    token,
    tokenIds: [tokenId],
    seller: delivery.from,
    buyer: delivery.to,
    price,
    currency: isBid ? BLUR_POOL : NULL_ADDRESS,
  });
}
