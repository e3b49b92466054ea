import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../model/logger.ts";
import { type BlockRow, NULL_ADDRESS } from "../model/rows.ts";
import { nftKeyString } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { MetadataResult, NftMetadataStore } from "../store/nftMetadata.ts";
import type { NftUpdates } from "../store/nftUpdates.ts";
import type { PendingNft } from "../store/tableRows.ts";
import { ConcurrencyLimiter } from "./concurrencyLimiter.ts";
import {
  decodeDataUri,
  isDataUri,
  MAX_METADATA_BYTES,
  MAX_URI_LENGTH,
  METADATA_TOO_LARGE,
  metadataProblem,
  parseMetadata,
} from "./content.ts";
import type { FetchedContent } from "./fetchContent.ts";
import { MetadataQuota } from "./metadataQuota.ts";
import { getTokenUris } from "./tokenUris.ts";

export interface MetadataReaderOptions {
  chainName: string;
  node: ChainNode;
  metadata: NftMetadataStore;
  updates: NftUpdates;
  fetchContent: (uri: string, maxBytes: number, deadlineMs: number) => Promise<FetchedContent>;
  /** The latest indexed block, while the index is at the head and this process is the leader. */
  newest: () => BlockRow | undefined;
  log: Logger;
  /** Delay before the second attempt after a failure, in ms; each further one is five times as long. */
  retryMs: number;
}

/** Poll interval, in ms. */
const POLL_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_ATTEMPTS = 6;
const COLLECTION_BATCH_SIZE = 64;
const NFTS_PER_COLLECTION = 8;
const REQUESTED_BATCH_SIZE = 50;
const UPDATE_BATCH_SIZE = 20;
const URI_BATCH_SIZE = 64;
/** Consecutive failing collections after which the node is considered down. */
const MAX_FAILED_COLLECTIONS = 4;

/** Reads the metadata of NFTs in the background, from their contracts and URIs. */
export class MetadataReader {
  readonly #options: MetadataReaderOptions;
  readonly #limiter = new ConcurrencyLimiter();
  readonly #quota: MetadataQuota;
  /** Pending fetches by NFT key. */
  readonly #fetching = new Map<string, Promise<void>>();
  /** Collections that are called separately, because they made a batch fail. */
  readonly #isolated = new Set<string>();
  readonly #stopping = new AbortController();
  #woken = Promise.withResolvers<void>();
  /** The collection that was processed last. */
  #lastCollection = NULL_ADDRESS;
  #running: Promise<void> | undefined;

  constructor(options: MetadataReaderOptions) {
    this.#options = options;
    this.#quota = new MetadataQuota(options.metadata);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Polls immediately. */
  wake(): void {
    this.#woken.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    await Promise.allSettled(this.#fetching.values());
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      let wait = POLL_MS;
      try {
        if (await this.#step()) wait = 0;
        failures = 0;
      } catch (error) {
        failures += 1;
        wait = Math.min(MAX_WAIT_MS, POLL_MS * 2 ** Math.min(failures, 10));
        if (failures === 1 && !this.#stopping.signal.aborted) this.#warn(error);
      }
      if (wait > 0) await this.#wait(wait, failures > 0);
    }
  }

  #warn(error: unknown): void {
    this.#options.log.warn("metadata cannot be read", {
      chain: this.#options.chainName,
      error: String(error),
    });
  }

  async #wait(ms: number, ignoreWake: boolean): Promise<void> {
    const timer = new AbortController();
    const signal = AbortSignal.any([timer.signal, this.#stopping.signal]);
    const pause = sleep(ms, undefined, { signal }).catch(() => undefined);
    await Promise.race(ignoreWake ? [pause] : [pause, this.#woken.promise]);
    timer.abort();
    this.#woken = Promise.withResolvers();
  }

  /** Returns whether there was anything to do. */
  async #step(): Promise<boolean> {
    const { updates, newest } = this.#options;
    // Contracts are called at this block: tokens of later ones do not exist there.
    const block = newest();
    if (!block) return false;
    for (let i = 0; i < UPDATE_BATCH_SIZE && (await updates.apply(block.number)); i++);
    const pending = await this.#selectPending(block.number);
    const started = pending.filter(({ uri }) => uri !== null).filter((nft) => this.#startFetch(nft)).length;
    const withoutUri = pending.filter(({ uri }) => uri === null);
    return (await this.#readUris(withoutUri, block)) || started > 0;
  }

  /** Selects requested tokens first, then some of each collection in turn. */
  async #selectPending(block: number): Promise<PendingNft[]> {
    const { metadata } = this.#options;
    // Rows may have been selected before a fetch ended that ends meanwhile.
    const fetching = new Set(this.#fetching.keys());
    const requested = await metadata.listRequested(block, REQUESTED_BATCH_SIZE);
    const collections = await metadata.listPendingCollections(this.#lastCollection, COLLECTION_BATCH_SIZE);
    this.#lastCollection =
      collections.length < COLLECTION_BATCH_SIZE ? NULL_ADDRESS : (collections.at(-1) ?? NULL_ADDRESS);
    const pending = await metadata.listPending(collections, block, Date.now(), NFTS_PER_COLLECTION);
    const selected = new Map<string, PendingNft>();
    for (const nft of [...requested, ...interleave(pending)]) {
      const key = nftKeyString(nft);
      if (!fetching.has(key)) selected.set(key, nft);
    }
    return [...selected.values()];
  }

  #startFetch(nft: PendingNft): boolean {
    const { uri } = nft;
    const slot = uri === null ? undefined : this.#limiter.acquire(nft.token, hostOf(uri));
    if (!slot || uri === null) return false;
    const key = nftKeyString(nft);
    const fetching = this.#fetch(nft, uri, slot.deadlineMs)
      .then(slot.release, (error: unknown) => {
        slot.release(false);
        if (!this.#stopping.signal.aborted) this.#warn(error);
      })
      .finally(() => {
        this.#fetching.delete(key);
        this.wake();
      });
    this.#fetching.set(key, fetching);
    return true;
  }

  /** Returns whether the source responded. */
  async #fetch(nft: PendingNft, uri: string, deadlineMs: number): Promise<boolean> {
    const { metadata, fetchContent } = this.#options;
    const embedded = evaluateUri(uri).result;
    if (embedded) {
      await metadata.saveContent(nft, uri, embedded, Date.now());
      return true;
    }
    const found = await fetchContent(uri, MAX_METADATA_BYTES, deadlineMs);
    const result: MetadataResult =
      "bytes" in found
        ? await this.#quota.enforce(nft.token, parseMetadata(found.bytes))
        : { problem: found.problem, retryAt: found.isFinal ? null : this.#retryAt(nft.attempts) };
    await metadata.saveContent(nft, uri, result, Date.now());
    return "bytes" in found;
  }

  /** Returns whether anything was saved. */
  async #readUris(nfts: readonly PendingNft[], block: BlockRow): Promise<boolean> {
    const regular = nfts.filter(({ token }) => !this.#isolated.has(token)).slice(0, URI_BATCH_SIZE);
    // One at a time.
    const [isolated] = nfts.filter(({ token }) => this.#isolated.has(token));
    const savedCount = await this.#readUriBatch(regular, block).catch((error: unknown) =>
      this.#readUrisByCollection(regular, block, error),
    );
    if (!isolated) return savedCount > 0;
    try {
      await this.#readUriBatch([isolated], block);
      this.#isolated.delete(isolated.token);
    } catch (error) {
      await this.#postpone([isolated], error);
    }
    return true;
  }

  /** Calls each collection separately to find out which one fails; if all fail, it is the node. */
  async #readUrisByCollection(nfts: readonly PendingNft[], block: BlockRow, error: unknown): Promise<number> {
    const collections = [...new Set(nfts.map(({ token }) => token))];
    if (collections.length === 1) {
      await this.#postpone(nfts, error);
      return 0;
    }
    let savedCount = 0;
    const failed: string[] = [];
    for (const token of collections) {
      const own = nfts.filter((nft) => nft.token === token);
      await this.#readUriBatch(own, block).then(
        (count) => {
          savedCount += count;
        },
        () => failed.push(token),
      );
      // If the node is down, do not call it for each collection.
      if (failed.length === MAX_FAILED_COLLECTIONS && savedCount === 0) break;
    }
    if (savedCount === 0) throw error;
    for (const token of failed) this.#isolated.add(token);
    return savedCount;
  }

  async #postpone(nfts: readonly PendingNft[], error: unknown): Promise<void> {
    const problem = `the contract call failed: ${error instanceof Error ? error.message : String(error)}`;
    const minAttempts = nfts.reduce(
      (least, { attempts }) => Math.min(least, attempts),
      Number.POSITIVE_INFINITY,
    );
    const retryAt = this.#retryAt(minAttempts);
    await this.#options.metadata.postpone(
      nfts,
      problem.replaceAll("\0", "").slice(0, 300),
      retryAt,
      Date.now(),
    );
  }

  async #readUriBatch(nfts: readonly PendingNft[], block: BlockRow): Promise<number> {
    if (nfts.length === 0) return 0;
    const uris = await getTokenUris(this.#options.node, nfts, block.number);
    const read: Parameters<NftMetadataStore["saveUris"]>[0][number][] = [];
    for (const [i, nft] of nfts.entries()) {
      const { uri, result } = evaluateUri(uris[i]);
      read.push({
        key: nft,
        uri,
        ...(result && { result: await this.#quota.enforce(nft.token, result) }),
      });
    }
    return this.#options.metadata.saveUris(read, block, Date.now());
  }

  #retryAt(attempts: number): number | null {
    return attempts + 1 >= MAX_ATTEMPTS ? null : Date.now() + this.#options.retryMs * 5 ** attempts;
  }
}

/** Evaluates the URI of a contract; without a result, it must be fetched. */
function evaluateUri(uri: string | undefined): { uri: string | null; result?: MetadataResult } {
  if (uri === undefined) return { uri: null, result: metadataProblem("the contract has no metadata URI") };
  const savedCount = uri.length <= MAX_URI_LENGTH ? uri : null;
  if (isDataUri(uri)) {
    const content = decodeDataUriContent(uri);
    const result = "bytes" in content ? parseMetadata(content.bytes) : metadataProblem(content.problem);
    return { uri: savedCount, result };
  }
  // Some contracts return the metadata itself.
  if (uri.startsWith("{")) return { uri: savedCount, result: parseMetadata(Buffer.from(uri)) };
  if (savedCount === null) return { uri: null, result: metadataProblem("the metadata URI is too long") };
  if (/^(https?|ipfs):\/\//i.test(uri)) return { uri };
  return {
    uri,
    result: metadataProblem("the metadata URI is not an http, https, ipfs or data URI"),
  };
}

/** Host of a web URI; content in IPFS has none. */
function hostOf(uri: string): string | undefined {
  return /^https?:/i.test(uri) ? URL.parse(uri)?.host : undefined;
}

function decodeDataUriContent(uri: string): FetchedContent {
  const bytes = decodeDataUri(uri);
  if (!bytes) return { problem: "the data: URI is invalid", isFinal: true };
  return bytes.length > MAX_METADATA_BYTES ? { problem: METADATA_TOO_LARGE, isFinal: true } : { bytes };
}

/** Interleaves tokens: the first of each collection, then the second of each, and so on. */
function interleave(nfts: readonly PendingNft[]): PendingNft[] {
  const seen = new Map<string, number>();
  return nfts
    .map((nft) => {
      const round = seen.get(nft.token) ?? 0;
      seen.set(nft.token, round + 1);
      return { nft, turn: round };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ nft }) => nft);
}
