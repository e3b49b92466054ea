import { randomUUID } from "node:crypto";
import type { BlockReference, FeedPlace } from "@purse/chain";
import type { Store, Write } from "../store/store.ts";

/** How far a watch's selection has become objects. */
export interface Cursor {
  /** Up to here; undefined before the first block. */
  place: FeedPlace | undefined;
  /** Blocks before it, newest first, ever further apart: one of them a reorganisation has left. */
  trail: BlockReference[];
  /** Up to this block objects may stand that were made before a reorganisation went back to `place`; -1 for none. */
  kept: number;
  /** How many messages have been written for its webhook. */
  sequence: number;
}

/** A cursor as it is kept: whoever moves it has to know how it was. */
export interface KeptCursor extends Cursor {
  /** As it is kept; undefined where it is new. */
  text: string | undefined;
}

/** Position, part, number and hash of the place's block, then the others. */
type Written = [number, number, number, string, number, number, [number, string][]];

const SCOPE = "chain-watch";
const MAX_TRAIL = 16;

export async function readCursor(store: Store, key: string): Promise<KeptCursor | undefined> {
  const text = await store.ownerOf(SCOPE, key);
  if (text === undefined) return undefined;
  const [position, part, number, hash, kept, sequence, trail]: Written = JSON.parse(text);
  return {
    place: position < 0 ? undefined : { position, part, block: { number, hash } },
    trail: trail.map(([n, h]) => ({ number: n, hash: h })),
    kept,
    sequence,
    text,
  };
}

/**
 * The steps that move a cursor, which fail (ClaimTaken) where somebody else has moved it: what happens together with
 * them happens once.
 */
export function moveCursor(
  key: string,
  from: string | undefined,
  to: Cursor,
): { writes: Write[]; text: string } {
  const { place, trail, kept, sequence } = to;
  const where = place ? [place.position, place.part, place.block.number, place.block.hash] : [-1, 0, -1, ""];
  const text = JSON.stringify([
    ...where,
    kept,
    sequence,
    trail.map(({ number, hash }) => [number, hash]),
    randomUUID(),
  ]);
  const writes: Write[] = [
    ...(from === undefined ? [] : [{ kind: "release", scope: SCOPE, value: key, owner: from } as const]),
    { kind: "claim", scope: SCOPE, value: key, owner: text },
  ];
  return { writes, text };
}

/** The trail of a cursor that goes on to a block: of each distance, doubling, the furthest. */
export function trailTo(block: BlockReference, { place, trail }: Cursor): BlockReference[] {
  const before = [...(place ? [place.block] : []), ...trail].filter(({ number }) => number < block.number);
  const byDistance = new Map<number, BlockReference>();
  for (const each of before) byDistance.set(Math.floor(Math.log2(block.number - each.number)), each);
  return [...byDistance.values()].sort((a, b) => b.number - a.number).slice(0, MAX_TRAIL);
}
