import { toWord } from "../model/hexBytes.ts";
import { blockOf, type NftRangeRow, type NftTransferRow, type RawLog } from "../model/rows.ts";
import { addressOf, isAddressTopic } from "../model/topics.ts";

/** Topic of `ConsecutiveTransfer(uint256,uint256,address,address)` (ERC-2309). */
export const CONSECUTIVE_TRANSFER_TOPIC =
  "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** Max tokens of one log that are listed individually: twice the limit of common libraries for one mint. */
export const MAX_LISTED_PER_LOG = 10_000;
/** Max listed tokens of all logs of one block: such logs cost almost no gas, regardless of the number of tokens. */
export const MAX_LISTED_PER_BLOCK = 50_000;

/** Decodes ERC-2309 logs. Logs must be passed in block order. */
export class ConsecutiveTransfers {
  #block = -1;
  #remaining = 0;

  /** Returns a transfer for each listed token and adds the others to `ranges`. Returns no transfers for other logs. */
  decode(log: RawLog, ranges: NftRangeRow[]): NftTransferRow[] {
    const { position, transactionIndex, transactionHash, address: token, topics, data } = log;
    const [topic, firstId, fromTopic, toTopic] = topics;
    if (topic !== CONSECUTIVE_TRANSFER_TOPIC || firstId === undefined || data.length !== 66) return [];
    if (!isAddressTopic(fromTopic) || !isAddressTopic(toTopic) || firstId > data) return [];
    this.#startBlock(blockOf(position));
    const [first, last] = [BigInt(firstId), BigInt(data)];
    const count = last - first + 1n;
    const listedCount = Math.min(
      MAX_LISTED_PER_LOG,
      this.#remaining,
      Number(count < MAX_LISTED ? count : MAX_LISTED),
    );
    this.#remaining -= listedCount;
    const [from, to] = [addressOf(fromTopic), addressOf(toTopic)];
    if (BigInt(listedCount) < count)
      ranges.push({ position, token, first: toWord(first + BigInt(listedCount)), last: data, from, to });
    return Array.from({ length: listedCount }, (_, part) => ({
      position,
      part,
      transactionIndex,
      transactionHash,
      token,
      tokenId: toWord(first + BigInt(part)),
      standard: 721 as const,
      isBatch: count > 1n,
      operator: null,
      from,
      to,
      amount: "1",
    }));
  }

  #startBlock(block: number): void {
    if (block === this.#block) return;
    this.#block = block;
    this.#remaining = MAX_LISTED_PER_BLOCK;
  }
}

const MAX_LISTED = BigInt(MAX_LISTED_PER_LOG);
