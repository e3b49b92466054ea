import type { NftTransferRow } from "../../model/rows.ts";

/** The transfers of NFTs in one transaction, found by their tokens: a transaction may have thousands of both. */
export class MovedTokens {
  readonly #byToken: ReadonlyMap<string, NftTransferRow[]>;
  /** In their order. */
  readonly #positions: readonly number[];

  constructor(transfers: readonly NftTransferRow[]) {
    this.#byToken = Map.groupBy(transfers, ({ token, tokenId }) => keyOf(token, BigInt(tokenId)));
    this.#positions = transfers.map(({ position }) => position);
  }

  /** Those of one token, in their order. */
  of(token: string, id: bigint): readonly NftTransferRow[] {
    return this.#byToken.get(keyOf(token, id)) ?? [];
  }

  /** Whether anything was moved between two logs. */
  isAnyBetween(after: number, before: number): boolean {
    let [low, high] = [0, this.#positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#positions[middle] ?? 0) > after) high = middle;
      else low = middle + 1;
    }
    return (this.#positions[low] ?? Number.POSITIVE_INFINITY) < before;
  }
}

function keyOf(token: string, id: bigint): string {
  return `${token} ${id}`;
}
