import type { DecodeContext } from "../decode/decodeLogs.ts";
import { type BlockRow, blockOf } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { type IndexWriter, PENDING } from "../store/indexWriter.ts";
import { decodeRows, getHeadersByNumber, transferLogs } from "./walletScope.ts";

/** Wallets per request. */
const WALLET_BATCH_SIZE = 50;

/** Indexes the history of wallets in descending block order. */
export class WalletHistory {
  readonly #node: ChainNode;
  readonly #store: ChainStore;
  readonly #writer: IndexWriter;
  readonly #start: number;
  readonly #context: DecodeContext;
  readonly #onRead: (addresses: string[]) => void;
  #loadedAddresses: string[] | undefined;

  constructor(
    node: ChainNode,
    store: ChainStore,
    writer: IndexWriter,
    start: number,
    context: DecodeContext,
    onRead: (addresses: string[]) => void = () => undefined,
  ) {
    this.#node = node;
    this.#store = store;
    this.#writer = writer;
    this.#start = start;
    this.#context = context;
    this.#onRead = onRead;
  }

  /** The indexed wallets. */
  get addresses(): readonly string[] {
    return this.#loadedAddresses ?? [];
  }

  async load(): Promise<void> {
    if (this.#loadedAddresses) return;
    const wallets = await this.#store.watched.get();
    this.#loadedAddresses = wallets.filter(({ since }) => since !== PENDING).map(({ address }) => address);
  }

  /**
   * Starts enqueued wallets and reads a range for those with incomplete history. Returns whether there is more to do.
   * `checkpoint` is the latest indexed block.
   */
  async step(checkpoint: BlockRow): Promise<boolean> {
    await this.load();
    const unfinished = await this.#store.watched.unfinished(this.#start);
    const started = unfinished.filter(({ since }) => since === PENDING).map(({ address }) => address);
    if (started.length > 0) {
      await this.#writer.startWallets(started, checkpoint.number);
      this.#loadedAddresses = this.#loadedAddresses?.concat(started);
      return true;
    }
    const lacking = unfinished;
    const newest = lacking.reduce((max, { next }) => Math.max(max, next), -1);
    if (newest < 0) return false;
    const batch = lacking.filter(({ next }) => next === newest).slice(0, WALLET_BATCH_SIZE);
    const from = Math.max(this.#start, newest - this.#node.logRange + 1);
    await this.#readRange(
      batch.map(({ address }) => address),
      from,
      newest,
      checkpoint,
    );
    return true;
  }

  async #readRange(addresses: string[], from: number, to: number, checkpoint: BlockRow): Promise<void> {
    const logs = await transferLogs(this.#node, this.#context, from, to, addresses);
    const numbers = logs.map(({ position }) => blockOf(position));
    const blocks = await getHeadersByNumber(this.#node, [...numbers, checkpoint.number]);
    // If the chain was reorganized, the next step unwinds the index.
    if (blocks.get(checkpoint.number)?.hash !== checkpoint.hash) return;
    const decoded = decodeRows(logs, blocks, this.#context);
    if (!decoded) return;
    await this.#writer.addHistory(decoded.rows, decoded.tokens, { addresses, next: from - 1 });
    this.#onRead(addresses);
  }
}
