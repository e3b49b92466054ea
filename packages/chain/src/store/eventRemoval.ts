/** A step of removing old events. */
export interface Removal {
  /** Whether the events of blocks were removed. */
  isRemoved: boolean;
  /** Whether there may be another step now. */
  hasMore: boolean;
}

export const NO_REMOVAL: Removal = { isRemoved: false, hasMore: false };

/** Removes the events of old blocks from an index, but not what follows from them: balances, owners, tokens. */
export interface EventRemoval {
  /** Does the next step of removing the events of blocks that are all before a block. Several blocks are removed together. */
  removeBefore(block: number): Promise<Removal>;
}

/**
 * Throws Error if the events of a block are no longer kept, so that a reorganization cannot remove it. `first` is the
 * first block whose events are kept, undefined for all.
 */
export function assertKept(block: number, first: number | undefined): void {
  if (first !== undefined && block < first)
    throw new Error(
      `the chain was reorganized from block ${block}, but its events are kept from block ${first} on only: the index must be built anew`,
    );
}
