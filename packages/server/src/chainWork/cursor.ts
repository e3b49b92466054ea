import { randomUUID } from "node:crypto";
import type { BlockReference, EventCursor } from "@purse/chain";
import type { Store, Write } from "../database/store.ts";

/** The progress of a watch's selection. */
export interface WatchCursor {
  /** The position of the last processed event; undefined before the first block. */
  eventCursor: EventCursor | undefined;
  /** Earlier blocks, newest first, at increasing distances: one of them survives a reorganization. */
  checkpoints: BlockReference[];
  /** Up to this block objects may exist that were created before a reorganization reset the cursor; -1 for none. */
  staleUpTo: number;
  /** Number of webhook messages that have been written. */
  sequence: number;
}

/** A stored cursor: moving it requires its previous text. */
export interface StoredCursor extends WatchCursor {
  /** The stored text; undefined for a new cursor. */
  text: string | undefined;
}

/** Position, part, number and hash of the last event's block, then the other fields. */
type SerializedCursor = [number, number, number, string, number, number, [number, string][]];

const SCOPE = "chain-watch";
const MAX_CHECKPOINTS = 16;

export async function readCursor(store: Store, key: string): Promise<StoredCursor | undefined> {
  const text = await store.getUniqueOwner(SCOPE, key);
  if (text === undefined) return undefined;
  const [position, part, number, hash, staleUpTo, sequence, checkpoints]: SerializedCursor = JSON.parse(text);
  return {
    eventCursor: position < 0 ? undefined : { position, part, block: { number, hash } },
    checkpoints: checkpoints.map(([n, h]) => ({ number: n, hash: h })),
    staleUpTo,
    sequence,
    text,
  };
}

/**
 * Returns the writes that move a cursor. They fail with a unique constraint error if another process has moved it, so
 * that the other writes of the transaction happen once.
 */
export function moveCursor(
  key: string,
  from: string | undefined,
  to: WatchCursor,
): { writes: Write[]; text: string } {
  const { eventCursor, checkpoints, staleUpTo, sequence } = to;
  const serializedPosition = eventCursor
    ? [eventCursor.position, eventCursor.part, eventCursor.block.number, eventCursor.block.hash]
    : [-1, 0, -1, ""];
  const text = JSON.stringify([
    ...serializedPosition,
    staleUpTo,
    sequence,
    checkpoints.map(({ number, hash }) => [number, hash]),
    randomUUID(),
  ]);
  const writes: Write[] = [
    ...(from === undefined
      ? []
      : [{ kind: "releaseUnique", scope: SCOPE, value: key, owner: from } as const]),
    { kind: "reserveUnique", scope: SCOPE, value: key, owner: text },
  ];
  return { writes, text };
}

/** The checkpoints of a cursor that advances to a block: the furthest one of each distance, which doubles. */
export function checkpointsTo(
  block: BlockReference,
  { eventCursor, checkpoints }: WatchCursor,
): BlockReference[] {
  const candidates = [...(eventCursor ? [eventCursor.block] : []), ...checkpoints].filter(
    ({ number }) => number < block.number,
  );
  const byDistance = new Map<number, BlockReference>();
  for (const candidate of candidates)
    byDistance.set(Math.floor(Math.log2(block.number - candidate.number)), candidate);
  return [...byDistance.values()].sort((a, b) => b.number - a.number).slice(0, MAX_CHECKPOINTS);
}
