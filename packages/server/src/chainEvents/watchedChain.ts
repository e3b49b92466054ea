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
      const standing = await this.#judge(this.#cursor, head);
      if (standing !== "well") return standing === "astray";
      const { place, kept } = this.#cursor;
      if (kept > (place?.block.number ?? -1)) this.#cursor = await this.#goBack(this.#cursor, this.#cursor);
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
    return this.#move(undefined, { place, trail: [], kept: -1, sequence: 0 }, []);
  }

  /** Whether the cursor's block is in the index; goes back where it is no more. */
  async #judge(cursor: KeptCursor, head: BlockReference): Promise<"well" | "astray" | "unknown"> {
    const { feed, log } = this.#parts;
    const { place, trail } = cursor;
    if (!place) return "well";
    const known = await feed.hashesOf([place.block, ...trail].map(({ number }) => number));
    const stays = ({ number, hash }: BlockReference) => known.get(number) === hash;
    if (stays(place.block)) return "well";
    // An index that is being made anew has not come this far yet.
    if (head.number < place.block.number && this.#parts.status()?.state !== "following") return "unknown";
    const common = trail.find(stays) ?? (await this.#beginning(trail.at(-1) ?? place.block, head));
    const below = common ? trail.filter(({ number }) => number < common.number) : [];
    // What stands between the two in blocks that are still there is met again on the way back up.
    const kept = Math.max(cursor.kept, place.block.number);
    await this.#goBack(cursor, { ...cursor, place: common && endOf(common), trail: below, kept });
    log.info("what was watched has been reorganised", {
      className: this.#watch.className,
      from: place.block.number,
      to: common?.number ?? null,
    });
    return "astray";
  }

  /** Where to go on after a reorganisation that has left nothing of what was seen; undefined for the first block. */
  async #beginning(oldest: BlockReference, head: BlockReference): Promise<BlockReference | undefined> {
    if (this.#watch.isHistorical) return undefined;
    const number = Math.min(oldest.number - 1, head.number);
    const hash = (await this.#parts.feed.hashesOf([number])).get(number);
    return hash === undefined ? head : { number, hash };
  }

  /** Removes objects of blocks that are no more, and with the last of them the cursor goes back. */
  async #goBack(cursor: KeptCursor, to: Cursor): Promise<KeptCursor> {
    const { writer, feed } = this.#parts;
    const { className, chainId } = this.#watch;
    let from = cursor;
    let after = { block: to.place?.block.number ?? -1, id: "" };
    for (;;) {
      const found = await writer.find(className, chainId, pageAfter(after), TOGETHER);
      const stale = await this.#stale(feed, found);
      const last = found.length === TOGETHER ? found.at(-1) : undefined;
      const changes = stale.map((object): EventChange => ({ kind: "removed", object }));
      const isMoved = !last && to !== cursor;
      if (changes.length > 0 || isMoved) {
        from = await this.#move(from, { ...(last ? cursor : to), sequence: from.sequence }, changes);
      }
      if (!last) return from;
      after = { block: numberOf(last, "block_number"), id: textOf(last, "objectId") };
    }
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
      {
        place: reached,
        trail: trailTo(reached.block, cursor),
        kept: reached.block.number >= cursor.kept ? -1 : cursor.kept,
        sequence: cursor.sequence,
      },
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
      const { place, trail, kept } = to;
      const moved: Cursor = { place, trail, kept, sequence: to.sequence + told };
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
