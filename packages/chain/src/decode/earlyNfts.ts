import { type LogRow, type NftTransferRow, NULL_ADDRESS } from "../model/rows.ts";
import {
  ASSIGN_TOPIC,
  addressOf,
  isAddressTopic,
  PUNK_BOUGHT_TOPIC,
  PUNK_TRANSFER_TOPIC,
  TRANSFER_TOPIC,
} from "../model/topics.ts";

/** Collections of Ethereum's main network that are older than EIP-721, and log their transfers in ways of their own. */
const CRYPTO_KITTIES = "0x06012c8cf97bead5deae237070f9587f8e7a266d";
const CRYPTO_PUNKS = "0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb";

type RawLog = Omit<LogRow, "isErc20">;
type Move = Pick<NftTransferRow, "from" | "to" | "tokenId">;

/** What the `at`-th of some logs of the main network moves of these collections. */
export function earlyNftTransfers(logs: readonly RawLog[], at: number): NftTransferRow[] {
  const log = logs[at];
  if (!log) return [];
  const { address, position, transactionIndex, transactionHash } = log;
  const move =
    address === CRYPTO_KITTIES
      ? kittyMove(log)
      : address === CRYPTO_PUNKS
        ? punkMove(logs, log, at)
        : undefined;
  if (!move) return [];
  const place = { position, part: 0, transactionIndex, transactionHash, token: address };
  return [{ ...place, ...move, standard: 721, isBatch: false, operator: null, amount: "1" }];
}

/** CryptoKitties has all values of its Transfer in the data. */
function kittyMove({ topics, data }: RawLog): Move | undefined {
  if (topics.length !== 1 || topics[0] !== TRANSFER_TOPIC || data.length !== 2 + 3 * 64) return undefined;
  const [from, to, tokenId] = [word(data, 0), word(data, 1), word(data, 2)];
  if (!isAddressTopic(from) || !isAddressTopic(to)) return undefined;
  return { from: addressOf(from), to: addressOf(to), tokenId };
}

function punkMove(logs: readonly RawLog[], log: RawLog, at: number): Move | undefined {
  const { topics, data } = log;
  const [topic, first, second, third] = topics;
  if (topic === ASSIGN_TOPIC && topics.length === 2 && isAddressTopic(first) && data.length === 66)
    return { from: NULL_ADDRESS, to: addressOf(first), tokenId: data };
  if (topic === PUNK_TRANSFER_TOPIC && isAddressTopic(first) && isAddressTopic(second) && data.length === 66)
    return { from: addressOf(first), to: addressOf(second), tokenId: data };
  if (topic !== PUNK_BOUGHT_TOPIC || first === undefined || !isAddressTopic(second) || !isAddressTopic(third))
    return undefined;
  const to = addressOf(third);
  // Of an accepted bid the contract logs no buyer: the transfer of the count that it logs before has them.
  const buyer = to === NULL_ADDRESS ? bidder(logs, log, second, at) : to;
  return buyer === undefined ? undefined : { from: addressOf(second), to: buyer, tokenId: first };
}

function bidder(
  logs: readonly RawLog[],
  { address, transactionHash }: RawLog,
  seller: string,
  at: number,
): string | undefined {
  for (let i = at - 1; logs[i]?.transactionHash === transactionHash; i--) {
    const [topic, from, to] = logs[i]?.topics ?? [];
    if (logs[i]?.address === address && topic === TRANSFER_TOPIC && from === seller)
      return isAddressTopic(to) ? addressOf(to) : undefined;
  }
  return undefined;
}

/** The n-th 32 bytes of data. */
function word(data: string, n: number): string {
  return `0x${data.slice(2 + n * 64, 66 + n * 64)}`;
}
