import type { BlockReference, ChainEventReader, ChainStatus, Selection } from "@purse/chain";
import { endOfBlock, isFollowing } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import {
  checkpointsTo,
  moveCursor,
  readCursor,
  type StoredCursor,
  type WatchCursor,
} from "../../chainWork/cursor.ts";
import { renamedFields } from "../../chainWork/eventFields.ts";
import { filterValues } from "../../chainWork/filterFields.ts";
import { isConflict, numberField, stringField } from "../../chainWork/rowFields.ts";
import type { Logger } from "../../core/logger.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";
import { eventObject } from "./eventObject.ts";
import { type EventChange, type EventWriter, isRejection } from "./eventWriter.ts";
import { syncedObject } from "./syncedObject.ts";
import type { Watch } from "./watch.ts";

export interface WatchIndexerDependencies {
  store: Store;
  writer: EventWriter;
  feed: ChainEventReader;
  status(): ChainStatus | undefined;
  /** Returns the writes that enqueue webhook messages, numbered from `from` on. */
  enqueueWebhooks(watch: Watch, source: string, from: number, changes: EventChange[]): Write[];
  /** Called after objects of a watch have changed. */
  onWritten?(watch: Watch): void;
  /** Decides about the events of a class; undefined to store all of them. */
  consumeTrigger?(className: string): ((event: JsonObject) => Promise<boolean>) | undefined;
  logger: Logger;
}

/** Number of events per transaction. */
const BATCH_SIZE = 200;
/** Blocks without events after which a cursor is stored anyway. */
const MAX_UNSTORED_BLOCKS = 1_000;

/**
 * Stores the events of one selection of a watch as objects. Every step moves the cursor in the same transaction and
 * requires its previous state, so that neither crashes nor concurrent processes lose or duplicate events.
 */
export class WatchIndexer {
  readonly #watch: Watch;
  readonly #selection: Selection;
  readonly #dependencies: WatchIndexerDependencies;
  readonly #key: string;
  /** The current names of fields that earlier versions have stored under other ones. */
  readonly #renamed: ReadonlyMap<string, string>;
  #cursor: StoredCursor | undefined;
  /** The block of the stored cursor, which the cursor may be ahead of. */
  #storedBlock: number | undefined;
  /** The head up to which everything has been processed. */
  #completedState = "";
  /** Whether there are blocks to look at. */
  #isTouched = true;
  /** The last block that may have events of this watch. */
  #touchedUpTo = -1;
  /** The block whose finality concerns events of this watch next; undefined if there is none. */
  #confirmAt: number | undefined;

  constructor(watch: Watch, selection: Selection, dependencies: WatchIndexerDependencies) {
    this.#watch = watch;
    this.#selection = selection;
    this.#dependencies = dependencies;
    this.#key = `${watch.id} ${selection.kind}`;
    const inputs = selection.kind === "event" ? selection.event.inputs : [];
    this.#renamed = renamedFields(inputs.map(({ name }, i) => name || String(i)));
  }

  /** Whether everything up to the head has been processed. */
  get isCurrent(): boolean {
    return this.#completedState !== "";
  }

  get chainId(): number {
    return this.#watch.chainId;
  }

  /** The contract or wallet that its events concern; lower-case hex with 0x. */
  get address(): string {
    return this.#selection.address;
  }

  /** Notes that the blocks up to the newest one may have events of this watch. */
  touch(newest: BlockReference): void {
    this.#isTouched = true;
    // Lower than before if a reorganization has made the chain shorter.
    this.#touchedUpTo = newest.number;
  }

  /** Whether there may be something to do: new events, events that have become final, or a cursor that must move. */
  isDue(newest: BlockReference): boolean {
    if (this.#isTouched || this.#isCursorOld(newest)) return true;
    return this.#confirmAt !== undefined && this.#confirmedUpTo(newest) >= this.#confirmAt;
  }

  /** Whether the cursor of a watch without new events would soon be before the blocks whose events are kept. */
  #isCursorOld({ number }: BlockReference): boolean {
    const { keepBlocks } = this.#dependencies.feed;
    const last = this.#cursor?.eventCursor?.block.number;
    return keepBlocks !== undefined && last !== undefined && number - last >= keepBlocks / 2;
  }

  /** Processes events up to the head. Returns whether there may be more. */
  async step(): Promise<boolean> {
    const { store } = this.#dependencies;
    const newest = await this.#dependencies.feed.head();
    if (!newest) return false;
    const confirmed = this.#confirmedUpTo(newest);
    const head = await this.#lastBlock(newest, confirmed);
    if (!head) return false;
    const headState = `${head.hash} ${confirmed}`;
    if (headState === this.#completedState) {
      // New blocks that are not final, if cloud code decides about events.
      const next = await this.#nextToConfirm(head, confirmed);
      if (next !== undefined) this.#confirmAt = Math.min(this.#confirmAt ?? next, next);
      this.#isTouched = false;
      return false;
    }
    try {
      await this.#dependencies.writer.prepare(this.#watch.className);
      await this.#dependencies.writer.renameFields(this.#watch.className, this.#renamed);
      if (!this.#cursor) {
        // Its objects may be of blocks that are not final yet.
        this.touch(newest);
        this.#cursor = (await readCursor(store, this.#key)) ?? (await this.#initialize(head));
        this.#storedBlock = this.#cursor.eventCursor?.block.number;
      }
      const state = await this.#checkReorganization(this.#cursor, head);
      if (state !== "current") return state === "reorganized";
      const { eventCursor, staleUpTo } = this.#cursor;
      if (staleUpTo > (eventCursor?.block.number ?? -1))
        this.#cursor = await this.#rollBack(this.#cursor, this.#cursor);
      if (eventCursor?.block.hash !== head.hash || eventCursor.part !== endOfBlock(head).part) {
        const hasMore = await this.#indexNext(this.#cursor, head, confirmed);
        if (hasMore) return true;
      }
      if (await this.#confirm(this.#cursor, confirmed)) return true;
      this.#confirmAt = await this.#nextToConfirm(head, confirmed);
      this.#completedState = headState;
      this.#isTouched = false;
      return false;
    } catch (error) {
      this.#cursor = undefined;
      // Another process was faster: continue with the next step.
      if (error instanceof UniqueConstraintError || isConflict(error)) return true;
      throw error;
    }
  }

  /** Returns the first block with events of this watch that is not final, after all blocks up to the head. */
  async #nextToConfirm(head: BlockReference, confirmedUpTo: number): Promise<number | undefined> {
    const upTo = this.#touchedUpTo;
    if (upTo <= confirmedUpTo) return undefined;
    // Cloud code decides about the events of final blocks only: those up to here have not been read.
    if (upTo > head.number) return upTo;
    const { className, chainId } = this.#watch;
    // Other watches of the class can have newer objects, which do not concern this one.
    const where = { confirmed: false, block_number: { $gt: confirmedUpTo, $lte: upTo } };
    const [first] = await this.#dependencies.writer.find(className, chainId, where, 1);
    return first && numberField(first, "block_number");
  }

  /** The block up to which to store events: the head or, if cloud code decides about them, the last confirmed one. */
  async #lastBlock(head: BlockReference, confirmed: number): Promise<BlockReference | undefined> {
    const { consumeTrigger, feed } = this.#dependencies;
    if (!consumeTrigger?.(this.#watch.className)) return head;
    if (confirmed < 0) return undefined;
    const number = Math.min(confirmed, head.number);
    const hash = (await feed.getBlockHashes([number])).get(number);
    return hash === undefined ? undefined : { number, hash };
  }

  /** Events before the creation of a watch are skipped unless requested. */
  async #initialize(head: BlockReference): Promise<StoredCursor> {
    const eventCursor = this.#watch.isHistorical ? undefined : endOfBlock(head);
    return this.#commit(undefined, { eventCursor, checkpoints: [], staleUpTo: -1, sequence: 0 }, []);
  }

  /** Checks whether the cursor's block is still in the index; rolls back if it is not. */
  async #checkReorganization(
    cursor: StoredCursor,
    head: BlockReference,
  ): Promise<"current" | "reorganized" | "unknown"> {
    const { feed, logger } = this.#dependencies;
    const { eventCursor, checkpoints } = cursor;
    if (!eventCursor) return "current";
    const hashes = await feed.getBlockHashes([eventCursor.block, ...checkpoints].map(({ number }) => number));
    const isCanonical = ({ number, hash }: BlockReference) => hashes.get(number) === hash;
    if (isCanonical(eventCursor.block)) return "current";
    // An index that is being rebuilt has not reached this block yet.
    if (head.number < eventCursor.block.number && !this.#isFollowing()) return "unknown";
    const commonBlock =
      checkpoints.find(isCanonical) ??
      (await this.#restartPoint(checkpoints.at(-1) ?? eventCursor.block, head));
    const olderCheckpoints = commonBlock
      ? checkpoints.filter(({ number }) => number < commonBlock.number)
      : [];
    // Objects in between whose blocks still exist are found again.
    const staleUpTo = Math.max(cursor.staleUpTo, eventCursor.block.number);
    await this.#rollBack(cursor, {
      ...cursor,
      eventCursor: commonBlock && endOfBlock(commonBlock),
      checkpoints: olderCheckpoints,
      staleUpTo,
    });
    logger.info("a watched chain was reorganized", {
      className: this.#watch.className,
      from: eventCursor.block.number,
      to: commonBlock?.number ?? null,
    });
    return "reorganized";
  }

  /** The block from which to continue if no checkpoint survived a reorganization; undefined for the first block. */
  async #restartPoint(oldest: BlockReference, head: BlockReference): Promise<BlockReference | undefined> {
    if (this.#watch.isHistorical) return undefined;
    const number = Math.min(oldest.number - 1, head.number);
    const hash = (await this.#dependencies.feed.getBlockHashes([number])).get(number);
    return hash === undefined ? head : { number, hash };
  }

  /** Removes objects of orphaned blocks; the last step resets the cursor. */
  async #rollBack(cursor: StoredCursor, to: WatchCursor): Promise<StoredCursor> {
    const { writer, feed } = this.#dependencies;
    const { className, chainId } = this.#watch;
    let from = cursor;
    let after = { block: to.eventCursor?.block.number ?? -1, id: "" };
    for (;;) {
      const found = await writer.find(className, chainId, pageAfter(after), BATCH_SIZE);
      const stale = await this.#findStale(feed, found);
      const last = found.length === BATCH_SIZE ? found.at(-1) : undefined;
      const changes = stale.map((object): EventChange => ({ kind: "removed", object }));
      const movesCursor = !last && to !== cursor;
      if (changes.length > 0 || movesCursor) {
        from = await this.#commit(from, { ...(last ? cursor : to), sequence: from.sequence }, changes);
      }
      if (!last) return from;
      after = { block: numberField(last, "block_number"), id: stringField(last, "objectId") };
    }
  }

  async #findStale(feed: ChainEventReader, objects: JsonObject[]): Promise<JsonObject[]> {
    const hashes = await feed.getBlockHashes(objects.map((object) => numberField(object, "block_number")));
    return objects.filter((object) => hashes.get(numberField(object, "block_number")) !== object.block_hash);
  }

  /** Whether the index is at the head of the chain. */
  #isFollowing(): boolean {
    const status = this.#dependencies.status();
    return status !== undefined && isFollowing(status);
  }

  /** Creates objects of the next events. Returns whether there may be more. */
  async #indexNext(cursor: StoredCursor, head: BlockReference, confirmedUpTo: number): Promise<boolean> {
    const { feed, writer } = this.#dependencies;
    const { chainId, className, filter } = this.#watch;
    const batch = await feed.events(this.#selection, cursor.eventCursor, head, BATCH_SIZE);
    // Either the head has been replaced in the meantime, or the cursor's block.
    if (!batch) return this.#isFollowing();
    const { kind } = this.#selection;
    const matching = batch.events.filter((event) => filter(filterValues(event)));
    const createObject = this.#watch.synced ? syncedObject : eventObject;
    const objects = matching.map((event) =>
      createObject(event, { chainId, kind, confirmed: event.cursor.block.number <= confirmedUpTo }),
    );
    const missing = await this.#accepted(await writer.missing(className, objects));
    const { cursor: eventCursor, hasMore } = batch;
    const moved: WatchCursor = {
      eventCursor,
      checkpoints: checkpointsTo(eventCursor.block, cursor),
      staleUpTo: eventCursor.block.number >= cursor.staleUpTo ? -1 : cursor.staleUpTo,
      sequence: cursor.sequence,
    };
    const isQuiet = batch.events.length === 0 && cursor.staleUpTo < 0;
    if (isQuiet && this.#isNearStored(eventCursor.block)) {
      // Most watches are quiet most of the time. After a restart, their blocks are read again.
      this.#cursor = { ...moved, text: cursor.text };
      return hasMore;
    }
    await this.#commit(
      cursor,
      moved,
      missing.map((object): EventChange => ({ kind: "created", object })),
    );
    return hasMore;
  }

  #isNearStored({ number }: BlockReference): boolean {
    return this.#storedBlock !== undefined && number - this.#storedBlock < MAX_UNSTORED_BLOCKS;
  }

  /** Returns the objects that cloud code lets through. An event whose decision fails is skipped. */
  async #accepted<T extends JsonObject>(objects: T[]): Promise<T[]> {
    const { className } = this.#watch;
    const decide = this.#dependencies.consumeTrigger?.(className);
    if (!decide) return objects;
    const accepted: T[] = [];
    for (const object of objects) {
      try {
        if (await decide(object)) accepted.push(object);
      } catch (error) {
        if (!isRejection(error)) throw error;
        this.#dependencies.logger.warn("beforeConsume failed: an event is skipped", {
          className,
          error: error.message,
        });
      }
    }
    return accepted;
  }

  /** Marks objects of final blocks as confirmed. Returns whether there may be more. */
  async #confirm(cursor: StoredCursor, upTo: number): Promise<boolean> {
    const { writer, feed } = this.#dependencies;
    const { className, chainId } = this.#watch;
    const where = { confirmed: false, block_number: { $lte: upTo } };
    const found = await writer.find(className, chainId, where, BATCH_SIZE);
    const stale = new Set(await this.#findStale(feed, found));
    const canonical = found.filter((object) => !stale.has(object));
    if (canonical.length === 0) return false;
    const changes = canonical.map(
      (object): EventChange => ({ kind: "confirmed", object: { ...object, confirmed: true } }),
    );
    await this.#commit(cursor, cursor, changes);
    if (found.length < BATCH_SIZE) return false;
    // Objects whose update a trigger rejects are not retried in a loop.
    const [stillUnconfirmed] = await writer.find(className, chainId, where, 1);
    return stillUnconfirmed?.objectId !== canonical[0]?.objectId;
  }

  /** The newest block that is final, or has enough confirmations. */
  #confirmedUpTo(head: BlockReference): number {
    const { confirmations } = this.#watch;
    const final = this.#dependencies.status()?.finalized ?? -1;
    return confirmations === 0 ? final : Math.max(final, head.number - confirmations + 1);
  }

  async #commit(
    from: StoredCursor | undefined,
    to: WatchCursor,
    changes: EventChange[],
  ): Promise<StoredCursor> {
    const { writer, enqueueWebhooks, onWritten } = this.#dependencies;
    let next: StoredCursor | undefined;
    const changed = await writer.write(this.#watch.className, changes, (written) => {
      const deliveryCount = this.#watch.webhook === undefined ? 0 : written.length;
      const { eventCursor, checkpoints, staleUpTo } = to;
      const moved: WatchCursor = {
        eventCursor,
        checkpoints,
        staleUpTo,
        sequence: to.sequence + deliveryCount,
      };
      const { writes, text } = moveCursor(this.#key, from?.text, moved);
      next = { ...moved, text };
      return deliveryCount > 0
        ? [...writes, ...enqueueWebhooks(this.#watch, this.#key, to.sequence, written)]
        : writes;
    });
    if (!next) throw new Error("a cursor was not moved");
    if (changed.length > 0) onWritten?.(this.#watch);
    this.#cursor = next;
    this.#storedBlock = next.eventCursor?.block.number;
    return next;
  }
}

function pageAfter({ block, id }: { block: number; id: string }): JsonObject {
  return { $or: [{ block_number: { $gt: block } }, { block_number: block, objectId: { $gt: id } }] };
}
