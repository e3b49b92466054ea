import { LARGE_METADATA, type NftMetadata, type Outcome } from "../store/nftMetadata.ts";
import { problem } from "./content.ts";

/** What large metadata of one collection may take together, in characters. */
export const MAX_LARGE_OF_COLLECTION = 256 * 1024 * 1024;
const REMEMBERED = 10_000;

/**
 * How much room the metadata of each collection takes: that of one token is bounded, but a collection may have any number
 * of tokens. Small metadata is always kept; large only as long as that of the collection has room.
 */
export class MetadataSpace {
  readonly #metadata: NftMetadata;
  readonly #max: number;
  /** What is taken, by collection. */
  readonly #taken = new Map<string, number>();

  constructor(metadata: NftMetadata, max = MAX_LARGE_OF_COLLECTION) {
    this.#metadata = metadata;
    this.#max = max;
  }

  /** The outcome, or that there is no room for it. */
  async fitting(token: string, outcome: Outcome): Promise<Outcome> {
    if (!("metadata" in outcome) || outcome.metadata.length <= LARGE_METADATA) return outcome;
    const taken = this.#taken.get(token) ?? (await this.#metadata.largeBytes(token));
    const next = taken + outcome.metadata.length;
    if (this.#taken.size >= REMEMBERED) this.#taken.clear();
    this.#taken.set(token, Math.min(next, Math.max(taken, this.#max)));
    return next <= this.#max
      ? outcome
      : problem("the metadata of this collection takes more room than is kept");
  }
}
