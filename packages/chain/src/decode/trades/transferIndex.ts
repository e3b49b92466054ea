import type { NftTransferRow } from "../../model/rows.ts";

/** Index of the NFT transfers of one transaction by token; a transaction can have thousands. */
export class TransferIndex {
  readonly #byToken: ReadonlyMap<string, NftTransferRow[]>;
  readonly #transfers: readonly NftTransferRow[];
  /** In ascending order. */
  readonly #positions: readonly number[];

  /** `transfers` are in log order. */
  constructor(transfers: readonly NftTransferRow[]) {
    this.#transfers = transfers;
    this.#byToken = Map.groupBy(transfers, ({ token, tokenId }) => keyOf(token, BigInt(tokenId)));
    this.#positions = transfers.map(({ position }) => position);
  }

  /** The transfers of one token, in log order. */
  ofToken(token: string, id: bigint): readonly NftTransferRow[] {
    return this.#byToken.get(keyOf(token, id)) ?? [];
  }

  /** Whether there is a transfer between two log positions. */
  hasTransferBetween(after: number, before: number): boolean {
    return (this.#positions[this.#firstAfter(after)] ?? Number.POSITIVE_INFINITY) < before;
  }

  /** The transfers between two log positions, in log order. */
  between(after: number, before: number): readonly NftTransferRow[] {
    return this.#transfers.slice(this.#firstAfter(after), this.#firstAfter(before - 1));
  }

  #firstAfter(position: number): number {
    let [low, high] = [0, this.#positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#positions[middle] ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function keyOf(token: string, id: bigint): string {
  return `${token} ${id}`;
}
