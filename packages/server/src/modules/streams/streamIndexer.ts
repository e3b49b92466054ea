import {
  type BlockReader,
  type BlockReference,
  type ChainEventReader,
  type ChainStatus,
  isFollowing,
} from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { checkpointsTo } from "../../chainWork/cursor.ts";
import { isConflict } from "../../chainWork/rowFields.ts";
import type { Logger } from "../../core/logger.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";
import type { Stream } from "./stream.ts";
import type { StreamAddresses } from "./streamAddresses.ts";
import type { StoredDelivery, StreamDeliveries, StreamDelivery } from "./streamDeliveries.ts";
import { createMessages, type StreamMessage } from "./streamMessages.ts";
import { type ChainProgress, moveProgress, readProgress, type StreamProgress } from "./streamProgress.ts";
import { countMatches } from "./streamStats.ts";

export interface StreamIndexerDependencies {
  /** All writes require the lease. */
  store: Store;
  schemaOf(className: string): ClassSchema;
  addresses: StreamAddresses;
  deliveries: StreamDeliveries;
  chain: {
    eventReader(chainId: number): ChainEventReader;
    blockReader(chainId: number): BlockReader;
    statusOf(chainId: number): ChainStatus | undefined;
  };
  clock(): number;
  logger: Logger;
}

/** Logs of the blocks that are matched at once. */
const MAX_LOGS = 2_000;
const PAGE_SIZE = 100;
/** Attempts to trace a block, one for each poll at least. */
const MAX_TRACE_ATTEMPTS = 60;
/** Blocks without messages after which the progress is stored anyway. */
const MAX_UNSTORED_BLOCKS = 100;

/**
 * Matches the blocks of chains with all streams. Deliveries are written in the transaction that moves the progress,
 * which requires its previous state, so that neither crashes nor concurrent processes lose or duplicate them.
 */
export class StreamIndexer {
  readonly #dependencies: StreamIndexerDependencies;
  #streams: readonly Stream[] = [];
  #progress: StreamProgress | undefined;
  /** The stored block of each chain, which the progress may be ahead of. */
  #storedBlocks = new Map<number, number>();
  /** The head and the final block of each chain up to which everything was processed. */
  readonly #completedStates = new Map<number, string>();
  /** How often the traces of a block could not be read, by its hash. */
  readonly #failedTraces = new Map<string, number>();
  /** Chains whose missing traces were reported. */
  readonly #notTraced = new Set<number>();

  constructor(dependencies: StreamIndexerDependencies) {
    this.#dependencies = dependencies;
  }

  setStreams(streams: readonly Stream[]): void {
    this.#streams = streams;
    this.#completedStates.clear();
  }

  /** Forgets what it has read: another process may have moved the progress. */
  reset(): void {
    this.#progress = undefined;
    this.#completedStates.clear();
  }

  /** Processes the next blocks of a chain. Returns whether there may be more. */
  async step(chainId: number): Promise<boolean> {
    return this.#retried(true, async (progress) => {
      const events = this.#dependencies.chain.eventReader(chainId);
      const head = await events.head();
      if (!head) return false;
      const state = `${head.hash} ${this.#dependencies.chain.statusOf(chainId)?.finalized}`;
      if (this.#completedStates.get(chainId) === state) return false;
      const streams = this.#streams.filter(
        ({ isActive, startBlocks }) => isActive && startBlocks.has(chainId),
      );
      const known = progress.chains.get(chainId);
      if (known && (await this.#hasReorganized(chainId, known, streams, head, events))) return true;
      // After a rollback, blocks that were sent can be replaced before they are reached again.
      if (known && known.staleUpTo > known.block.number)
        await this.#rollBack(chainId, known, known.block, head, events);
      if (streams.length === 0) {
        if (known) await this.#commit(progress, { chainId, chain: undefined });
      } else {
        const chain = known ?? {
          block: await this.#startOf(chainId, streams, head, events),
          checkpoints: [],
          staleUpTo: -1,
        };
        if (await this.#matchNext(chainId, chain, streams, head)) return true;
      }
      await this.#confirm(chainId, head, events);
      this.#completedStates.set(chainId, state);
      return false;
    });
  }

  /**
   * Matches the next blocks of a replay with its stream. `moveWrites` are written with the deliveries; they get the next
   * block, which is returned; undefined to try again.
   */
  async replay(
    stream: Stream,
    chainId: number,
    from: number,
    to: number,
    moveWrites: (next: number) => Write[],
  ): Promise<number | undefined> {
    return this.#retried<number | undefined>(undefined, async (progress) => {
      const reader = this.#dependencies.chain.blockReader(chainId);
      const blocks = await reader.blocks(from, to, MAX_LOGS);
      if (!blocks) return undefined;
      const messages = await createMessages(blocks, () => [stream], this.#messageDependencies(chainId));
      const next = (blocks.at(-1)?.number ?? to) + 1;
      await this.#commit(progress, { messages, chainId, others: moveWrites(next) });
      return next;
    });
  }

  async #retried<Result>(
    onConflict: Result,
    work: (progress: StreamProgress) => Promise<Result>,
  ): Promise<Result> {
    try {
      if (!this.#progress) {
        this.#progress = await readProgress(this.#dependencies.store);
        this.#storedBlocks = new Map(
          [...this.#progress.chains].map(([chainId, { block }]) => [chainId, block.number]),
        );
      }
      return await work(this.#progress);
    } catch (error) {
      this.#progress = undefined;
      // Another process was faster, or a stream was deleted: continue with the next step.
      if (error instanceof UniqueConstraintError || isConflict(error)) return onConflict;
      throw error;
    }
  }

  /** The block before the first one that concerns a stream, with a number below zero if there is none. */
  async #startOf(
    chainId: number,
    streams: readonly Stream[],
    head: BlockReference,
    events: ChainEventReader,
  ): Promise<BlockReference> {
    const first = Math.min(...streams.map(({ startBlocks }) => startBlocks.get(chainId) ?? head.number));
    const number = Math.min(first - 1, head.number);
    const hash = (await events.getBlockHashes([number])).get(number);
    return hash === undefined ? { number: -1, hash: "" } : { number, hash };
  }

  /** Checks whether the last block is still in the index; rolls back if it is not. */
  async #hasReorganized(
    chainId: number,
    chain: ChainProgress,
    streams: readonly Stream[],
    head: BlockReference,
    events: ChainEventReader,
  ): Promise<boolean> {
    const { block, checkpoints } = chain;
    const hashes = await events.getBlockHashes([block, ...checkpoints].map(({ number }) => number));
    const isCanonical = ({ number, hash }: BlockReference) => number < 0 || hashes.get(number) === hash;
    if (isCanonical(block)) return false;
    const { logger } = this.#dependencies;
    // An index that is being rebuilt has not reached this block yet.
    if (head.number < block.number && !this.#isFollowing(chainId)) return false;
    // Blocks that still exist and have been sent are skipped.
    const common = checkpoints.find(isCanonical) ?? (await this.#startOf(chainId, streams, head, events));
    await this.#rollBack(chainId, chain, common, head, events);
    logger.info("a chain of streams was reorganized", {
      chain: chainId,
      from: block.number,
      to: common.number,
    });
    return true;
  }

  /** Whether the index is at the head of the chain. */
  #isFollowing(chainId: number): boolean {
    const status = this.#dependencies.chain.statusOf(chainId);
    return status !== undefined && isFollowing(status);
  }

  /** Announces the removal of orphaned blocks; the last step resets the progress if it changes. */
  async #rollBack(
    chainId: number,
    chain: ChainProgress,
    to: BlockReference,
    head: BlockReference,
    events: ChainEventReader,
  ): Promise<void> {
    const { deliveries } = this.#dependencies;
    // An index that is being rebuilt has not reached later blocks yet.
    const isComplete = this.#isFollowing(chainId);
    const range = { $gt: to.number, ...(!isComplete && { $lte: head.number }) };
    let after: StoredDelivery | undefined;
    do {
      // Also what has been confirmed: the confirmations of a stream can be fewer than the chain needs to be final.
      const found = await deliveries.sent(chainId, range, PAGE_SIZE, after);
      const orphaned = await this.#orphaned(found, events);
      after = found.length === PAGE_SIZE ? found.at(-1) : undefined;
      const moved: ChainProgress = {
        block: to,
        checkpoints: chain.checkpoints.filter(({ number }) => number < to.number),
        staleUpTo: Math.max(chain.staleUpTo, chain.block.number),
      };
      if (orphaned.length > 0 || (!after && to !== chain.block))
        await this.#commit(await this.#current(), {
          chainId,
          chain: after ? chain : moved,
          deliveries: this.#removals(chainId, orphaned),
          others: orphaned.map((each) => deliveries.settle(each, true)),
        });
    } while (after);
  }

  async #matchNext(
    chainId: number,
    chain: ChainProgress,
    streams: readonly Stream[],
    head: BlockReference,
  ): Promise<boolean> {
    const { chain: chains, deliveries } = this.#dependencies;
    const reader = chains.blockReader(chainId);
    const blocks = await reader.blocks(chain.block.number + 1, head.number, MAX_LOGS);
    const [first] = blocks ?? [];
    // The next step finds out about the reorganization.
    if (!blocks || (first?.number === chain.block.number + 1 && !follows(first.parentHash, chain.block)))
      return true;
    const last = blocks.at(-1);
    if (!last) return false;
    const messages = await createMessages(
      blocks,
      ({ number }) => streams.filter(({ startBlocks }) => (startBlocks.get(chainId) ?? 0) <= number),
      this.#messageDependencies(chainId),
    );
    const fresh: StreamMessage[] = [];
    for (const message of messages) {
      const { stream, block } = message;
      const isSent =
        block.number <= chain.staleUpTo && (await deliveries.streamsOf(chainId, block)).has(stream.id);
      if (!isSent) fresh.push(message);
    }
    const checkpoints = checkpointsTo(last, {
      eventCursor: chain.block.number < 0 ? undefined : { position: 0, part: 0, block: chain.block },
      checkpoints: chain.checkpoints,
      staleUpTo: -1,
      sequence: 0,
    });
    const moved: ChainProgress = {
      block: { number: last.number, hash: last.hash },
      checkpoints,
      staleUpTo: last.number >= chain.staleUpTo ? -1 : chain.staleUpTo,
    };
    const progress = await this.#current();
    const stored = this.#storedBlocks.get(chainId);
    const isQuiet = fresh.length === 0 && chain.staleUpTo < 0;
    if (isQuiet && stored !== undefined && last.number - stored < MAX_UNSTORED_BLOCKS) {
      // After a restart, these blocks are read again.
      this.#progress = { ...progress, chains: new Map([...progress.chains, [chainId, moved]]) };
    } else await this.#commit(progress, { chainId, chain: moved, messages: fresh });
    return last.number < head.number;
  }

  /** Sends what is final by now a second time. */
  async #confirm(chainId: number, head: BlockReference, events: ChainEventReader): Promise<void> {
    const { chain, deliveries } = this.#dependencies;
    const final = chain.statusOf(chainId)?.finalized ?? -1;
    const finalOf = new Map(
      this.#streams.map(({ id, confirmations }) => [
        id,
        confirmations === 0 ? final : Math.max(final, head.number - confirmations + 1),
      ]),
    );
    const newest = Math.max(final, ...finalOf.values());
    let after: StoredDelivery | undefined;
    for (;;) {
      const found = await deliveries.pending(chainId, { $lte: newest }, PAGE_SIZE, after);
      const due = found.filter(
        ({ stream, blockNumber }) => blockNumber <= (finalOf.get(stream) ?? Number.POSITIVE_INFINITY),
      );
      if (due.length > 0) {
        const orphaned = await this.#orphaned(due, events);
        const canonical = due.filter((each) => !orphaned.includes(each));
        await this.#commit(await this.#current(), {
          chainId,
          deliveries: [
            ...this.#removals(chainId, orphaned),
            ...canonical.flatMap((each) => this.#copy(chainId, each, { confirmed: true })),
          ],
          others: due.map((each) => deliveries.settle(each, orphaned.includes(each))),
        });
      }
      if (found.length < PAGE_SIZE) return;
      after = found.at(-1);
    }
  }

  async #orphaned(found: readonly StoredDelivery[], events: ChainEventReader): Promise<StoredDelivery[]> {
    if (found.length === 0) return [];
    const hashes = await events.getBlockHashes(found.map(({ blockNumber }) => blockNumber));
    return found.filter(
      // Earlier versions did not mark the message about a removal.
      ({ blockNumber, blockHash, body }) => hashes.get(blockNumber) !== blockHash && body.removed !== true,
    );
  }

  #removals(chainId: number, orphaned: readonly StoredDelivery[]): StreamDelivery[] {
    return orphaned.flatMap((each) => {
      const stream = this.#streams.find(({ id }) => id === each.stream);
      return stream?.includeRemoved ? this.#copy(chainId, each, { removed: true }) : [];
    });
  }

  /** A further message about the same block; none if its stream was deleted. */
  #copy(chainId: number, pending: StoredDelivery, changes: JsonObject): StreamDelivery[] {
    const stream = this.#streams.find(({ id }) => id === pending.stream);
    if (!stream) return [];
    const { blockNumber, blockHash, body } = pending;
    const url = stream.webhookUrl;
    return [
      {
        stream: stream.id,
        chainId,
        blockNumber,
        blockHash,
        url,
        body: { ...body, ...changes },
        isPending: false,
      },
    ];
  }

  #messageDependencies(chainId: number) {
    const { chain, addresses, logger } = this.#dependencies;
    const onNotTraced = () => {
      if (this.#notTraced.has(chainId)) return;
      this.#notTraced.add(chainId);
      logger.warn("streams lack internal transactions: the node does not trace", { chain: chainId });
    };
    const reader = chain.blockReader(chainId);
    const internalTransfers: BlockReader["internalTransfers"] = (block) =>
      reader.internalTransfers(block).catch((error: unknown) => this.#onTraceError(chainId, block, error));
    return { chainId, reader: { ...reader, internalTransfers }, addresses, onNotTraced };
  }

  /** Rethrows the error; after many attempts, the block goes without internal transactions instead. */
  #onTraceError(chainId: number, block: BlockReference, error: unknown): [] {
    const attempts = (this.#failedTraces.get(block.hash) ?? 0) + 1;
    this.#failedTraces.set(block.hash, attempts);
    if (attempts < MAX_TRACE_ATTEMPTS) throw error;
    this.#failedTraces.delete(block.hash);
    const details = { chain: chainId, block: block.number, error: String(error) };
    this.#dependencies.logger.error("streams lack internal transactions of a block", details);
    return [];
  }

  async #current(): Promise<StreamProgress> {
    this.#progress ??= await readProgress(this.#dependencies.store);
    return this.#progress;
  }

  /** Writes deliveries and the progress in one transaction. Without `chain`, a chain's progress is kept. */
  async #commit(
    from: StreamProgress,
    change: {
      chainId: number;
      chain?: ChainProgress | undefined;
      messages?: readonly StreamMessage[];
      deliveries?: readonly StreamDelivery[];
      others?: readonly Write[];
    },
  ): Promise<void> {
    const { store, schemaOf, deliveries, clock } = this.#dependencies;
    const { chainId, messages = [], others = [] } = change;
    const chains = new Map(from.chains);
    if (change.chain) chains.set(chainId, change.chain);
    else if ("chain" in change) chains.delete(chainId);
    const rows: StreamDelivery[] = [
      ...(change.deliveries ?? []),
      ...messages.map(({ stream, block, body }) => ({
        stream: stream.id,
        chainId,
        blockNumber: block.number,
        blockHash: block.hash,
        url: stream.webhookUrl,
        body,
        isPending: true,
      })),
    ];
    const { writes, progress } = moveProgress(from, from.sequence + rows.length, chains);
    await store.write([
      ...writes,
      ...deliveries.enqueue(rows, from.sequence),
      ...countMatches(messages, schemaOf("_ChainStream"), new Date(clock()).toISOString()),
      ...others,
    ]);
    this.#progress = progress;
    this.#storedBlocks = new Map([...chains].map(([id, { block }]) => [id, block.number]));
  }
}

function follows(parentHash: string, block: BlockReference): boolean {
  return block.number < 0 || parentHash === block.hash;
}
