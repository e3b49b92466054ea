import { hexWordAt } from "../abi/words.ts";
import type {
  BlockRows,
  DiscoveredToken,
  LogRow,
  NftRangeRow,
  NftTransferRow,
  NftUpdateRow,
  RawLog,
  TransactionRow,
} from "../model/rows.ts";
import { addressOf, isAddressTopic, TRANSFER_TOPIC } from "../model/topics.ts";
import { ConsecutiveTransfers } from "./consecutiveTransfers.ts";
import { decodeTrades } from "./decodeTrades.ts";
import { legacyNftTransfers } from "./legacyNfts.ts";
import { wrappedTransfers } from "./wrappedNative.ts";

/** Topic of `TransferSingle(address,address,address,uint256,uint256)` (EIP-1155). */
export const TRANSFER_SINGLE_TOPIC = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
/** Topic of `TransferBatch(address,address,address,uint256[],uint256[])` (EIP-1155). */
export const TRANSFER_BATCH_TOPIC = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/**
 * Topics of `MetadataUpdate(uint256)` and `BatchMetadataUpdate(uint256,uint256)` (EIP-4906), and
 * `URI(string,uint256)` (EIP-1155).
 */
const METADATA_UPDATE_TOPIC = "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7";
const BATCH_METADATA_UPDATE_TOPIC = "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c";
const URI_TOPIC = "0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b";

/** Properties of a chain that are needed to decode its logs. */
export interface DecodeContext {
  /** EIP-155. */
  chainId?: number;
  /** Contract of the wrapped native coin, in lower case. */
  wrappedNative?: string | undefined;
  /** The transactions of the logs, if known. */
  transactions?: readonly Pick<TransactionRow, "hash" | "from">[];
}

/** Max items of a batch that are decoded; a longer batch needs more gas than a block has. */
const MAX_BATCH_ITEMS = 10_000;

/** Decodes transfers and sales from logs. Logs that match only by topic are stored as plain logs. */
export function decodeLogs(
  logs: readonly RawLog[],
  { chainId, wrappedNative, transactions }: DecodeContext = {},
): Pick<BlockRows, "logs" | "nftTransfers" | "nftRanges" | "nftUpdates" | "trades"> & {
  tokens: DiscoveredToken[];
} {
  const nftTransfers: NftTransferRow[] = [];
  const nftRanges: NftRangeRow[] = [];
  const nftUpdates: NftUpdateRow[] = [];
  const tokens = new Map<string, DiscoveredToken>();
  const addToken = ({ address, position }: RawLog, standard: DiscoveredToken["standard"]) => {
    if (!tokens.has(address)) tokens.set(address, { address, standard, position });
  };
  const wrapped = wrappedTransfers(logs, wrappedNative);
  const consecutive = new ConsecutiveTransfers();
  const rows = logs.map((log, i): LogRow => {
    const isErc20 = isErc20Transfer(log) || wrapped.has(log);
    if (isErc20) addToken(log, 20);
    const transfers = isErc20 ? [] : nftTransfersOf(log);
    for (const transfer of consecutive.decode(log, nftRanges)) transfers.push(transfer);
    if (chainId === 1) for (const transfer of legacyNftTransfers(logs, i)) transfers.push(transfer);
    if (transfers.length > 0 || nftRanges.at(-1)?.position === log.position)
      addToken(log, transfers[0]?.standard ?? 721);
    // `push` with spread could overflow the stack: the contract decides how many transfers one log has.
    for (const transfer of transfers) nftTransfers.push(transfer);
    const update = nftUpdateOf(log);
    if (update) nftUpdates.push(update);
    return { ...log, isErc20 };
  });
  const senders = transactions && new Map(transactions.map(({ hash, from }) => [hash, from]));
  const trades = decodeTrades(logs, nftTransfers, senders);
  return { logs: rows, nftTransfers, nftRanges, nftUpdates, trades, tokens: [...tokens.values()] };
}

/** Two indexed addresses and one word of data (EIP-20). ERC-721 also indexes the token id. */
function isErc20Transfer({ topics, data }: RawLog): boolean {
  return (
    topics.length === 3 &&
    topics[0] === TRANSFER_TOPIC &&
    data.length === 66 &&
    isAddressTopic(topics[1]) &&
    isAddressTopic(topics[2])
  );
}

function nftTransfersOf(log: RawLog): NftTransferRow[] {
  if (log.topics.length !== 4) return [];
  switch (log.topics[0]) {
    case TRANSFER_TOPIC:
      return erc721Transfer(log);
    case TRANSFER_SINGLE_TOPIC:
      return log.data.length === 130
        ? erc1155Transfers(log, [hexWordAt(log.data, 0)], [hexWordAt(log.data, 1)], false)
        : [];
    case TRANSFER_BATCH_TOPIC: {
      const ids = wordArray(log.data, 0);
      const amounts = wordArray(log.data, 1);
      return ids && amounts ? erc1155Transfers(log, ids, amounts, true) : [];
    }
    default:
      return [];
  }
}

function nftUpdateOf({ address: token, position, topics, data }: RawLog): NftUpdateRow | undefined {
  const [topic, id] = topics;
  if (topic === METADATA_UPDATE_TOPIC && topics.length === 1 && data.length === 66)
    return { token, first: data, last: data, position };
  if (topic === URI_TOPIC && topics.length === 2 && id !== undefined)
    return { token, first: id, last: id, position };
  if (topic !== BATCH_METADATA_UPDATE_TOPIC || topics.length !== 1 || data.length !== 130) return undefined;
  const [first, last] = [hexWordAt(data, 0), hexWordAt(data, 1)];
  return first <= last ? { token, first, last, position } : undefined;
}

/** Three indexed values and no data (EIP-721). */
function erc721Transfer(log: RawLog): NftTransferRow[] {
  const [, from, to, tokenId] = log.topics;
  if (!isAddressTopic(from) || !isAddressTopic(to) || tokenId === undefined || log.data !== "0x") return [];
  const parties = { operator: null, from: addressOf(from), to: addressOf(to) };
  return [{ ...logFields(log), ...parties, part: 0, tokenId, standard: 721, isBatch: false, amount: "1" }];
}

function erc1155Transfers(log: RawLog, ids: string[], amounts: string[], isBatch: boolean): NftTransferRow[] {
  const [, operator, from, to] = log.topics;
  if (!isAddressTopic(operator) || !isAddressTopic(from) || !isAddressTopic(to)) return [];
  if (ids.length !== amounts.length) return [];
  const parties = { operator: addressOf(operator), from: addressOf(from), to: addressOf(to) };
  return ids.map((tokenId, part) => {
    const amount = BigInt(amounts[part] ?? 0).toString();
    return { ...logFields(log), ...parties, part, tokenId, standard: 1155, isBatch, amount };
  });
}

function logFields({ position, transactionIndex, transactionHash, address }: RawLog) {
  return { position, transactionIndex, transactionHash, token: address };
}

/** Decodes the array whose offset is the n-th word (contract ABI specification); undefined if it exceeds the data. */
function wordArray(data: string, n: number): string[] | undefined {
  const offset = smallNumberAt(data, 2 + n * 64);
  if (offset === undefined || offset % 32 !== 0) return undefined;
  const length = smallNumberAt(data, 2 + offset * 2);
  if (length === undefined || length > MAX_BATCH_ITEMS) return undefined;
  const first = offset / 32 + 1;
  if (data.length < 2 + (first + length) * 64) return undefined;
  return Array.from({ length }, (_, i) => hexWordAt(data, first + i));
}

/** The word at an index of the text if it is less than 2^32. */
function smallNumberAt(data: string, at: number): number | undefined {
  const text = data.slice(at, at + 64);
  return text.length === 64 && /^0{56}/.test(text) ? Number.parseInt(text.slice(56), 16) : undefined;
}
