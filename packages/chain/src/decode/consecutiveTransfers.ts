import { blockOf, type LogRow, type NftRangeRow, type NftTransferRow } from "../model/rows.ts";
import { addressOf, isAddressTopic } from "../model/topics.ts";

type RawLog = Omit<LogRow, "isErc20">;

/** Of `ConsecutiveTransfer(uint256,uint256,address,address)` (ERC-2309). */
export const CONSECUTIVE_TRANSFER_TOPIC =
  "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** Tokens of one log that are listed one by one: twice what the libraries that log it allow in one mint. */
export const LISTED_OF_LOG = 10_000;
/** The same of all logs of one block: such a log costs hardly any gas, however many tokens it is of. */
export const LISTED_OF_BLOCK = 50_000;

/** Reads transfers of consecutive tokens, block by block. */
export class ConsecutiveTransfers {
  #block = -1;
  #left = 0;

  /** A transfer for each token, as many as are listed; the rest goes into `ranges`. None for logs of other kinds. */
  read(log: RawLog, ranges: NftRangeRow[]): NftTransferRow[] {
    const { position, transactionIndex, transactionHash, address: token, topics, data } = log;
    const [topic, firstId, fromTopic, toTopic] = topics;
    if (topic !== CONSECUTIVE_TRANSFER_TOPIC || firstId === undefined || data.length !== 66) return [];
    if (!isAddressTopic(fromTopic) || !isAddressTopic(toTopic) || firstId > data) return [];
    this.#enter(blockOf(position));
    const [first, last] = [BigInt(firstId), BigInt(data)];
    const count = last - first + 1n;
    const listed = Math.min(LISTED_OF_LOG, this.#left, Number(count < MANY ? count : MANY));
    this.#left -= listed;
    const [from, to] = [addressOf(fromTopic), addressOf(toTopic)];
    if (BigInt(listed) < count)
      ranges.push({ position, token, first: idWord(first + BigInt(listed)), last: data, from, to });
    return Array.from({ length: listed }, (_, part) => ({
      position,
      part,
      transactionIndex,
      transactionHash,
      token,
      tokenId: idWord(first + BigInt(part)),
      standard: 721 as const,
      isBatch: count > 1n,
      operator: null,
      from,
      to,
      amount: "1",
    }));
  }

  #enter(block: number): void {
    if (block === this.#block) return;
    this.#block = block;
    this.#left = LISTED_OF_BLOCK;
  }
}

const MANY = BigInt(LISTED_OF_LOG);

function idWord(id: bigint): string {
  return `0x${id.toString(16).padStart(64, "0")}`;
}
