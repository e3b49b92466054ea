import { LARGE_METADATA, type MetadataResult, type NftMetadataStore } from "../store/nftMetadata.ts";
import { metadataProblem } from "./content.ts";

/** Max total size of a collection's large metadata, in characters. */
const MAX_LARGE_METADATA_PER_COLLECTION = 256 * 1024 * 1024;
const MAX_REMEMBERED = 10_000;

/**
 * Limits the storage of each collection's metadata, because a collection can have any number of tokens. Small
 * metadata is always stored; large metadata until the quota is exhausted.
 */
export class MetadataQuota {
  readonly #metadata: NftMetadataStore;
  readonly #max: number;
  /** Used quota by collection. */
  readonly #used = new Map<string, number>();

  constructor(metadata: NftMetadataStore, max = MAX_LARGE_METADATA_PER_COLLECTION) {
    this.#metadata = metadata;
    this.#max = max;
  }

  /** Returns the result, or an error if it exceeds the quota. */
  async enforce(token: string, result: MetadataResult): Promise<MetadataResult> {
    if (!("metadata" in result) || result.metadata.length <= LARGE_METADATA) return result;
    const used = this.#used.get(token) ?? (await this.#metadata.largeMetadataSize(token));
    const total = used + result.metadata.length;
    if (this.#used.size >= MAX_REMEMBERED) this.#used.clear();
    this.#used.set(token, Math.min(total, Math.max(used, this.#max)));
    return total <= this.#max
      ? result
      : metadataProblem("the metadata of this collection exceeds the storage quota");
  }
}
