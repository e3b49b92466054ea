import type { DecodeContext } from "../decode/decodeLogs.ts";
import { type BlockRow, blockOf } from "../model/rows.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { ChainStore } from "../store/chainStore.ts";
import { type IndexWriter, WANTED } from "../store/indexWriter.ts";
import { headsOf, rowsOf, transferLogs } from "./walletScope.ts";

/** Addresses whose history is read together. */
const TOGETHER = 50;

/** Reads what addresses did before they were known, from the newest block down. */
export class WalletHistory {
  readonly #node: ChainNode;
  readonly #store: ChainStore;
  readonly #writer: IndexWriter;
  readonly #start: number;
  readonly #context: DecodeContext;
  readonly #onRead: (addresses: string[]) => void;
  #known: string[] | undefined;

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

  /** The addresses that are followed. */
  get addresses(): readonly string[] {
    return this.#known ?? [];
  }

  async load(): Promise<void> {
    if (this.#known) return;
    const watched = await this.#store.watched();
    this.#known = watched.filter(({ since }) => since !== WANTED).map(({ address }) => address);
  }

  /**
   * Takes up the addresses that are wanted and reads a range for those that lack some. Answers whether there is more
   * to do. `checkpoint` is the newest block in the index.
   */
  async step(checkpoint: BlockRow): Promise<boolean> {
    await this.load();
    const unfinished = await this.#store.unfinished(this.#start);
    const added = unfinished.filter(({ since }) => since === WANTED).map(({ address }) => address);
    if (added.length > 0) {
      await this.#writer.takeUp(added, checkpoint.number);
      this.#known = this.#known?.concat(added);
      return true;
    }
    const lacking = unfinished;
    const newest = lacking.reduce((max, { next }) => Math.max(max, next), -1);
    if (newest < 0) return false;
    const together = lacking.filter(({ next }) => next === newest).slice(0, TOGETHER);
    const from = Math.max(this.#start, newest - this.#node.logRange + 1);
    await this.#fill(
      together.map(({ address }) => address),
      from,
      newest,
      checkpoint,
    );
    return true;
  }

  async #fill(addresses: string[], from: number, to: number, checkpoint: BlockRow): Promise<void> {
    const found = await transferLogs(this.#node, this.#context, from, to, addresses);
    const numbers = found.map(({ position }) => blockOf(position));
    const blocks = await headsOf(this.#node, [...numbers, checkpoint.number]);
    // Only of the chain that the index follows: were it another by now, the next step finds out.
    if (blocks.get(checkpoint.number)?.hash !== checkpoint.hash) return;
    const read = rowsOf(found, blocks, this.#context);
    if (!read) return;
    await this.#writer.fill(read.rows, read.tokens, { addresses, next: from - 1 });
    this.#onRead(addresses);
  }
}
