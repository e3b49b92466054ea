import type { BlockReference, ChainFeed, ChainStatus, Selection } from "@purse/chain";
import { endOf } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import type { Log } from "../observe/log.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";
import { type Cursor, type KeptCursor, moveCursor, readCursor, trailTo } from "./cursor.ts";
import { eventObject, fieldsOf } from "./eventObject.ts";
import { type EventChange, type EventWriter, isOutrun, numberOf, textOf } from "./eventWriter.ts";
import type { Watch } from "./watch.ts";

export interface WatchedChainParts {
  store: Store;
  writer: EventWriter;
  feed: ChainFeed;
  status(): ChainStatus | undefined;
  /** The steps that have a webhook told of changes, numbered from a number on. */
  messages(watch: Watch, source: string, from: number, changes: EventChange[]): Write[];
  log: Log;
}

/** Events that become objects together. */
const TOGETHER = 200;

/**
 * One selection of a watch on its way from the chain's index into objects. Every step moves the cursor together with
 * what it writes, and says how the cursor was: a crash, or another process at the same work, neither loses nor doubles.
 */
export class WatchedChain {
  readonly #watch: Watch;
  readonly #selection: Selection;
  readonly #parts: WatchedChainParts;
  readonly #key: string;
  #cursor: KeptCursor | undefined;
  /** The head up to which nothing is left to do. */
  #done = "";

  constructor(watch: Watch, selection: Selection, parts: WatchedChainParts) {
    this.#watch = watch;
    this.#selection = selection;
    this.#parts = parts;
    this.#key = `${watch.id} ${selection.kind}`;
  }

  /** Does what there is to do up to the head. Answers whether there may be more. */
  async step(): Promise<boolean> {
    const { feed, store } = this.#parts;
    const head = await feed.head();
    if (!head) return false;
    const confirmed = this.#confirmedUpTo(head);
    const state = `${head.hash} ${confirmed}`;
    if (state === this.#done) return false;
    try {
      await this.#parts.writer.prepare(this.#watch.className);
      this.#cursor ??= (await readCursor(store, this.#key)) ?? (await this.#begin(head));
      if (await this.#isAstray(this.#cursor, head)) return true;
      const { place } = this.#cursor;
      if (place?.block.hash !== head.hash || place.part !== endOf(head).part) {
        const isMore = await this.#deliver(this.#cursor, head, confirmed);
        if (isMore) return true;
      }
      if (await this.#confirm(this.#cursor, confirmed)) return true;
      this.#done = state;
      return false;
    } catch (error) {
      this.#cursor = undefined;
      // Somebody else was quicker: what is to do now is seen at the next step.
      if (error instanceof ClaimTaken || isOutrun(error)) return true;
      throw error;
    }
  }

  /** What happened before a watch began is its affair only where that is asked for. */
  async #begin(head: BlockReference): Promise<KeptCursor> {
    const place = this.#watch.isHistorical ? undefined : endOf(head);
    return this.#move(undefined, { place, trail: [], sequence: 0 }, []);
  }

  /** Goes back where the cursor's block is no more. Answers whether it is to be looked at again. */
  async #isAstray(cursor: KeptCursor, head: BlockReference): Promise<boolean> {
    const { feed, log } = this.#parts;
    const { place, trail } = cursor;
    if (!place) return false;
    const known = await feed.hashesOf([place.block, ...trail].map(({ number }) => number));
    const stays = ({ number, hash }: BlockReference) => known.get(number) === hash;
    if (stays(place.block)) return false;
    // An index that is being made anew has not come this far yet.
    if (head.number < place.block.number && this.#parts.status()?.state !== "following") {
      this.#done = "";
      return false;
    }
    const common = trail.find(stays);
    await this.#removeAbove(cursor, common);
    log.info("what was watched has been reorganised", {
      className: this.#watch.className,
      from: place.block.number,
      to: common?.number ?? null,
    });
    return true;
  }

  /** Removes objects of blocks that are no more, and with the last of them the cursor goes back. */
  async #removeAbove(cursor: KeptCursor, common: BlockReference | undefined): Promise<void> {
    const { writer, feed } = this.#parts;
    const { className, chainId } = this.#watch;
    let after = { block: common?.number ?? -1, id: "" };
    for (;;) {
      const found = await writer.find(className, chainId, pageAfter(after), TOGETHER);
      const last = found.at(-1);
      const stale = await this.#stale(feed, found);
      const isMore = found.length === TOGETHER;
      const to: Cursor = isMore
        ? cursor
        : {
            place: common && endOf(common),
            trail: this.#trailBelow(cursor, common),
            sequence: cursor.sequence,
          };
      cursor = await this.#move(
        cursor,
        to,
        stale.map((object): EventChange => ({ kind: "removed", object })),
      );
      if (!isMore || !last) return;
      after = { block: numberOf(last, "block_number"), id: textOf(last, "objectId") };
    }
  }

  #trailBelow({ trail }: Cursor, common: BlockReference | undefined): BlockReference[] {
    return common ? trail.filter(({ number }) => number < common.number) : [];
  }

  async #stale(feed: ChainFeed, objects: JsonObject[]): Promise<JsonObject[]> {
    const known = await feed.hashesOf(objects.map((object) => numberOf(object, "block_number")));
    return objects.filter((object) => known.get(numberOf(object, "block_number")) !== object.block_hash);
  }

  /** Makes objects of what comes next. Answers whether there may be more. */
  async #deliver(cursor: KeptCursor, head: BlockReference, confirmedUpTo: number): Promise<boolean> {
    const { feed, writer } = this.#parts;
    const { chainId, className, filter } = this.#watch;
    const batch = await feed.events(this.#selection, cursor.place, head, TOGETHER);
    // Either the head has gone since, or the cursor's block.
    if (!batch) return this.#parts.status()?.state === "following";
    const { kind } = this.#selection;
    const wanted = batch.events.filter((event) => {
      const { args } = event.fields;
      return filter({ ...event.fields, ...Object(args), ...fieldsOf(event) });
    });
    const objects = wanted.map((event) =>
      eventObject(event, { chainId, kind, confirmed: event.place.block.number <= confirmedUpTo }),
    );
    const missing = await writer.missing(className, objects);
    const { reached, isMore } = batch;
    await this.#move(
      cursor,
      { place: reached, trail: trailTo(reached.block, cursor), sequence: cursor.sequence },
      missing.map((object): EventChange => ({ kind: "created", object })),
    );
    return isMore;
  }

  /** Says of objects that their blocks stay. Answers whether there may be more. */
  async #confirm(cursor: KeptCursor, upTo: number): Promise<boolean> {
    const { writer, feed } = this.#parts;
    const { className, chainId } = this.#watch;
    const where = { confirmed: false, block_number: { $lte: upTo } };
    const found = await writer.find(className, chainId, where, TOGETHER);
    const stale = new Set(await this.#stale(feed, found));
    const sure = found.filter((object) => !stale.has(object));
    if (sure.length === 0) return false;
    const changes = sure.map(
      (object): EventChange => ({ kind: "confirmed", object: { ...object, confirmed: true } }),
    );
    await this.#move(cursor, cursor, changes);
    if (found.length < TOGETHER) return false;
    // What a trigger refuses stays as it is: the same is not tried again and again.
    const [again] = await writer.find(className, chainId, where, 1);
    return again?.objectId !== sure[0]?.objectId;
  }

  /** The newest block that stays: it is final, or deep enough. */
  #confirmedUpTo(head: BlockReference): number {
    const { confirmations } = this.#watch;
    const final = this.#parts.status()?.finalized ?? -1;
    return confirmations === 0 ? final : Math.max(final, head.number - confirmations + 1);
  }

  async #move(from: KeptCursor | undefined, to: Cursor, changes: EventChange[]): Promise<KeptCursor> {
    const { writer, messages } = this.#parts;
    let next: KeptCursor | undefined;
    await writer.write(this.#watch.className, changes, (written) => {
      const told = this.#watch.webhook === undefined ? 0 : written.length;
      const moved: Cursor = { place: to.place, trail: to.trail, sequence: to.sequence + told };
      const { writes, text } = moveCursor(this.#key, from?.text, moved);
      next = { ...moved, text };
      return told > 0 ? [...writes, ...messages(this.#watch, this.#key, to.sequence, written)] : writes;
    });
    if (!next) throw new Error("a cursor was not moved");
    this.#cursor = next;
    return next;
  }
}

function pageAfter({ block, id }: { block: number; id: string }): JsonObject {
  return { $or: [{ block_number: { $gt: block } }, { block_number: block, objectId: { $gt: id } }] };
}
