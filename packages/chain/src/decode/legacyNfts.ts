import { hexWordAt } from "../abi/words.ts";
import { type NftTransferRow, NULL_ADDRESS, type RawLog } from "../model/rows.ts";
import {
  ASSIGN_TOPIC,
  addressOf,
  isAddressTopic,
  PUNK_BOUGHT_TOPIC,
  PUNK_TRANSFER_TOPIC,
  TRANSFER_TOPIC,
} from "../model/topics.ts";

/** Collections on Ethereum mainnet that predate EIP-721 and have their own transfer events. */
const CRYPTO_KITTIES = "0x06012c8cf97bead5deae237070f9587f8e7a266d";
const CRYPTO_PUNKS = "0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb";

type Move = Pick<NftTransferRow, "from" | "to" | "tokenId">;

/** Decodes the transfer in the log at `index` of mainnet logs. */
export function legacyNftTransfers(logs: readonly RawLog[], index: number): NftTransferRow[] {
  const log = logs[index];
  if (!log) return [];
  const { address, position, transactionIndex, transactionHash } = log;
  const move =
    address === CRYPTO_KITTIES
      ? kittyMove(log)
      : address === CRYPTO_PUNKS
        ? punkMove(logs, log, index)
        : undefined;
  if (!move) return [];
  const logFields = { position, part: 0, transactionIndex, transactionHash, token: address };
  return [{ ...logFields, ...move, standard: 721, isBatch: false, operator: null, amount: "1" }];
}

/** CryptoKitties logs all values of its Transfer as data. */
function kittyMove({ topics, data }: RawLog): Move | undefined {
  if (topics.length !== 1 || topics[0] !== TRANSFER_TOPIC || data.length !== 2 + 3 * 64) return undefined;
  const [from, to, tokenId] = [hexWordAt(data, 0), hexWordAt(data, 1), hexWordAt(data, 2)];
  if (!isAddressTopic(from) || !isAddressTopic(to)) return undefined;
  return { from: addressOf(from), to: addressOf(to), tokenId };
}

function punkMove(logs: readonly RawLog[], log: RawLog, index: number): Move | undefined {
  const { topics, data } = log;
  const [topic, first, second, third] = topics;
  if (topic === ASSIGN_TOPIC && topics.length === 2 && isAddressTopic(first) && data.length === 66)
    return { from: NULL_ADDRESS, to: addressOf(first), tokenId: data };
  if (topic === PUNK_TRANSFER_TOPIC && isAddressTopic(first) && isAddressTopic(second) && data.length === 66)
    return { from: addressOf(first), to: addressOf(second), tokenId: data };
  if (topic !== PUNK_BOUGHT_TOPIC || first === undefined || !isAddressTopic(second) || !isAddressTopic(third))
    return undefined;
  const to = addressOf(third);
  // For an accepted bid, the contract logs no buyer; the preceding ERC-20 Transfer contains it.
  const buyer = to === NULL_ADDRESS ? bidder(logs, log, second, index) : to;
  return buyer === undefined ? undefined : { from: addressOf(second), to: buyer, tokenId: first };
}

function bidder(
  logs: readonly RawLog[],
  { address, transactionHash }: RawLog,
  seller: string,
  index: number,
): string | undefined {
  for (let i = index - 1; logs[i]?.transactionHash === transactionHash; i--) {
    const [topic, from, to] = logs[i]?.topics ?? [];
    if (logs[i]?.address === address && topic === TRANSFER_TOPIC && from === seller)
      return isAddressTopic(to) ? addressOf(to) : undefined;
  }
  return undefined;
}
