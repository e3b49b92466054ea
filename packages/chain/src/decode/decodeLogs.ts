import type {
  BlockRows,
  LogRow,
  NftRangeRow,
  NftTransferRow,
  NftUpdateRow,
  TokenSighting,
  TransactionRow,
} from "../model/rows.ts";
import { addressOf, addressTopic, isAddressTopic, TRANSFER_TOPIC } from "../model/topics.ts";
import { ConsecutiveTransfers } from "./consecutiveTransfers.ts";
import { decodeTrades } from "./decodeTrades.ts";
import { earlyNftTransfers } from "./earlyNfts.ts";
import { wrappedTransfers } from "./wrappedNative.ts";

export { addressTopic, TRANSFER_TOPIC };

/** Of `TransferSingle(address,address,address,uint256,uint256)` (EIP-1155). */
export const TRANSFER_SINGLE_TOPIC = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
/** Of `TransferBatch(address,address,address,uint256[],uint256[])` (EIP-1155). */
export const TRANSFER_BATCH_TOPIC = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/** Of `MetadataUpdate(uint256)` and `BatchMetadataUpdate(uint256,uint256)` (EIP-4906), `URI(string,uint256)` (EIP-1155). */
const METADATA_UPDATE_TOPIC = "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7";
const BATCH_METADATA_UPDATE_TOPIC = "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c";
const URI_TOPIC = "0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b";

type RawLog = Omit<LogRow, "isErc20">;

/** What has to be known of a chain to read its logs. */
export interface DecodeContext {
  /** EIP-155. */
  chainId?: number;
  /** The contract of the wrapped native coin, lower-case. */
  wrappedNative?: string | undefined;
  /** The transactions of the logs, as far as they are known. */
  transactions?: readonly Pick<TransactionRow, "hash" | "from">[];
}

/** Items of one batch that are taken: what is longer costs more gas than a block has. */
const MAX_PARTS = 10_000;

/** Finds the transfers and sales among logs. What only looks like one, by its topic, stays a log like others. */
export function decodeLogs(
  logs: readonly RawLog[],
  { chainId, wrappedNative, transactions }: DecodeContext = {},
): Pick<BlockRows, "logs" | "nftTransfers" | "nftRanges" | "nftUpdates" | "trades"> & {
  tokens: TokenSighting[];
} {
  const nftTransfers: NftTransferRow[] = [];
  const nftRanges: NftRangeRow[] = [];
  const nftUpdates: NftUpdateRow[] = [];
  const tokens = new Map<string, TokenSighting>();
  const seen = ({ address, position }: RawLog, standard: TokenSighting["standard"]) => {
    if (!tokens.has(address)) tokens.set(address, { address, standard, position });
  };
  const wrapped = wrappedTransfers(logs, wrappedNative);
  const consecutive = new ConsecutiveTransfers();
  const rows = logs.map((log, i): LogRow => {
    const isErc20 = isErc20Transfer(log) || wrapped.has(log);
    if (isErc20) seen(log, 20);
    const moved = isErc20 ? [] : nftTransfersOf(log);
    for (const transfer of consecutive.read(log, nftRanges)) moved.push(transfer);
    if (chainId === 1) for (const transfer of earlyNftTransfers(logs, i)) moved.push(transfer);
    if (moved.length > 0 || nftRanges.at(-1)?.position === log.position) seen(log, moved[0]?.standard ?? 721);
    // A contract decides how many one log holds.
    for (const transfer of moved) nftTransfers.push(transfer);
    const update = nftUpdateOf(log);
    if (update) nftUpdates.push(update);
    return { ...log, isErc20 };
  });
  const senders = transactions && new Map(transactions.map(({ hash, from }) => [hash, from]));
  const trades = decodeTrades(logs, nftTransfers, senders);
  return { logs: rows, nftTransfers, nftRanges, nftUpdates, trades, tokens: [...tokens.values()] };
}

/** Two indexed addresses and one word of data (EIP-20). ERC-721 indexes the token too. */
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
        ? erc1155Transfers(log, [word(log.data, 0)], [word(log.data, 1)], false)
        : [];
    case TRANSFER_BATCH_TOPIC: {
      const ids = words(log.data, 0);
      const amounts = words(log.data, 1);
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
  const [first, last] = [word(data, 0), word(data, 1)];
  return first <= last ? { token, first, last, position } : undefined;
}

/** Three indexed values and no data (EIP-721). */
function erc721Transfer(log: RawLog): NftTransferRow[] {
  const [, from, to, tokenId] = log.topics;
  if (!isAddressTopic(from) || !isAddressTopic(to) || tokenId === undefined || log.data !== "0x") return [];
  const sides = { operator: null, from: addressOf(from), to: addressOf(to) };
  return [{ ...common(log), ...sides, part: 0, tokenId, standard: 721, isBatch: false, amount: "1" }];
}

function erc1155Transfers(log: RawLog, ids: string[], amounts: string[], isBatch: boolean): NftTransferRow[] {
  const [, operator, from, to] = log.topics;
  if (!isAddressTopic(operator) || !isAddressTopic(from) || !isAddressTopic(to)) return [];
  if (ids.length !== amounts.length) return [];
  const sides = { operator: addressOf(operator), from: addressOf(from), to: addressOf(to) };
  return ids.map((tokenId, part) => {
    const amount = BigInt(amounts[part] ?? 0).toString();
    return { ...common(log), ...sides, part, tokenId, standard: 1155, isBatch, amount };
  });
}

function common({ position, transactionIndex, transactionHash, address }: RawLog) {
  return { position, transactionIndex, transactionHash, token: address };
}

/** The n-th 32 bytes of data. */
function word(data: string, n: number): string {
  return `0x${data.slice(2 + n * 64, 66 + n * 64)}`;
}

/** The array whose offset is the n-th word (contract ABI specification); undefined where it does not fit in. */
function words(data: string, n: number): string[] | undefined {
  const offset = smallAt(data, 2 + n * 64);
  if (offset === undefined || offset % 32 !== 0) return undefined;
  const length = smallAt(data, 2 + offset * 2);
  if (length === undefined || length > MAX_PARTS) return undefined;
  const first = offset / 32 + 1;
  if (data.length < 2 + (first + length) * 64) return undefined;
  return Array.from({ length }, (_, i) => word(data, first + i));
}

/** A word below 2^32, from a place in the text on. */
function smallAt(data: string, at: number): number | undefined {
  const text = data.slice(at, at + 64);
  return text.length === 64 && /^0{56}/.test(text) ? Number.parseInt(text.slice(56), 16) : undefined;
}
