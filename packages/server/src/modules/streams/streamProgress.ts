import { randomUUID } from "node:crypto";
import type { BlockReference } from "@purse/chain";
import type { Store, Write } from "../../database/store.ts";

/** How far the blocks of a chain have been matched. */
export interface ChainProgress {
  block: BlockReference;
  /** Earlier blocks, newest first, at increasing distances: one of them survives a reorganization. */
  checkpoints: BlockReference[];
  /** Blocks up to this one may have deliveries from before a reorganization; -1 for none. */
  staleUpTo: number;
}

/** The progress of all chains, and the number of deliveries so far, which orders those of a stream. */
export interface StreamProgress {
  sequence: number;
  chains: ReadonlyMap<number, ChainProgress>;
  /** The stored text, which moving it requires; undefined before the first time. */
  text: string | undefined;
}

const SCOPE = "chain-streams";
const KEY = "progress";

type SerializedChain = [number, number, string, number, [number, string][]];

export async function readProgress(store: Store): Promise<StreamProgress> {
  const text = await store.getUniqueOwner(SCOPE, KEY);
  if (text === undefined) return { sequence: 0, chains: new Map(), text };
  const [sequence, chains]: [number, SerializedChain[]] = JSON.parse(text);
  return {
    sequence,
    chains: new Map(
      chains.map(([chainId, number, hash, staleUpTo, checkpoints]) => [
        chainId,
        {
          block: { number, hash },
          staleUpTo,
          checkpoints: checkpoints.map(([each, itsHash]) => ({ number: each, hash: itsHash })),
        },
      ]),
    ),
    text,
  };
}

/**
 * Returns the writes that move the progress. They fail with a unique constraint error if another process has moved it,
 * so that the other writes of the transaction happen once.
 */
export function moveProgress(
  from: StreamProgress,
  sequence: number,
  chains: ReadonlyMap<number, ChainProgress>,
): { writes: Write[]; progress: StreamProgress } {
  const serialized = [...chains].map(
    ([chainId, { block, staleUpTo, checkpoints }]): SerializedChain => [
      chainId,
      block.number,
      block.hash,
      staleUpTo,
      checkpoints.map(({ number, hash }) => [number, hash]),
    ],
  );
  const text = JSON.stringify([sequence, serialized, randomUUID()]);
  const writes: Write[] = [
    ...(from.text === undefined
      ? []
      : [{ kind: "releaseUnique", scope: SCOPE, value: KEY, owner: from.text } as const]),
    { kind: "reserveUnique", scope: SCOPE, value: KEY, owner: text },
  ];
  return { writes, progress: { sequence, chains, text } };
}
