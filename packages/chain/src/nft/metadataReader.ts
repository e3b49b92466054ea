import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../model/logger.ts";
import { type BlockRow, NULL_ADDRESS } from "../model/rows.ts";
import { keyText } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";
import type { DueNft, NftMetadata, Outcome } from "../store/nftMetadata.ts";
import { Turns } from "./concurrencyLimiter.ts";
import {
  dataUriContent,
  isDataUri,
  MAX_METADATA,
  MAX_URI,
  metadataOf,
  problem,
  TOO_LARGE,
} from "./content.ts";
import type { FetchedContent } from "./fetchContent.ts";
import { MetadataSpace } from "./metadataQuota.ts";
import { askTokenUris } from "./tokenUris.ts";

export interface MetadataReaderParts {
  chainName: string;
  node: ChainNode;
  metadata: NftMetadata;
  fetchContent: (uri: string, maxBytes: number, deadlineMs: number) => Promise<FetchedContent>;
  /** The newest block in the index, while the index is at the head and this process the one that follows. */
  newest: () => BlockRow | undefined;
  log: Logger;
  /** Before the second look at something that has failed, in ms; each further one waits five times as long. */
  retryMs: number;
}

/** How often it looks whether there is something to read, in ms. */
const LOOK_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_TRIES = 6;
const COLLECTIONS_AT_ONCE = 64;
const OF_EACH_COLLECTION = 8;
const WANTED_AT_ONCE = 50;
const UPDATES_AT_ONCE = 20;
const URIS_AT_ONCE = 64;
/** Collections that fail one after the other before it is taken for the node's fault. */
const MAX_FAILED = 4;

/** Reads the metadata of NFTs in the background: from their contracts, and from where these say it is. */
export class MetadataReader {
  readonly #parts: MetadataReaderParts;
  readonly #turns = new Turns();
  readonly #space: MetadataSpace;
  /** What is being fetched, by token and id. */
  readonly #fetching = new Map<string, Promise<void>>();
  /** Collections whose contracts are asked by themselves, for they have kept others from being answered. */
  readonly #hard = new Set<string>();
  readonly #stopping = new AbortController();
  #woken = Promise.withResolvers<void>();
  /** The collection that had its turn last. */
  #reached = NULL_ADDRESS;
  #running: Promise<void> | undefined;

  constructor(parts: MetadataReaderParts) {
    this.#parts = parts;
    this.#space = new MetadataSpace(parts.metadata);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks at once. */
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
      let wait = LOOK_MS;
      try {
        if (await this.#step()) wait = 0;
        failures = 0;
      } catch (error) {
        failures += 1;
        wait = Math.min(MAX_WAIT_MS, LOOK_MS * 2 ** Math.min(failures, 10));
        if (failures === 1 && !this.#stopping.signal.aborted) this.#warn(error);
      }
      if (wait > 0) await this.#wait(wait, failures > 0);
    }
  }

  #warn(error: unknown): void {
    this.#parts.log.warn("metadata cannot be read", { chain: this.#parts.chainName, error: String(error) });
  }

  async #wait(ms: number, hasFailed: boolean): Promise<void> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, this.#stopping.signal]);
    const pause = sleep(ms, undefined, { signal }).catch(() => undefined);
    await Promise.race(hasFailed ? [pause] : [pause, this.#woken.promise]);
    waiting.abort();
    this.#woken = Promise.withResolvers();
  }

  /** Answers whether it has found something to do. */
  async #step(): Promise<boolean> {
    const { metadata, newest } = this.#parts;
    // A contract that is asked at this block knows nothing of what the index may already have of the next one.
    const block = newest();
    if (!block) return false;
    for (let i = 0; i < UPDATES_AT_ONCE && (await metadata.markUpdated(block.number)); i++);
    const due = await this.#choose(block.number);
    const started = due.filter(({ uri }) => uri !== null).filter((nft) => this.#startFetch(nft)).length;
    const unasked = due.filter(({ uri }) => uri === null);
    return (await this.#askUris(unasked, block)) || started > 0;
  }

  /** What somebody has asked for, then some tokens of each collection, one of each after the other. */
  async #choose(block: number): Promise<DueNft[]> {
    const { metadata } = this.#parts;
    const wanted = await metadata.wanted(block, WANTED_AT_ONCE);
    const collections = await metadata.collectionsDue(this.#reached, COLLECTIONS_AT_ONCE);
    this.#reached =
      collections.length < COLLECTIONS_AT_ONCE ? NULL_ADDRESS : (collections.at(-1) ?? NULL_ADDRESS);
    const due = await metadata.due(collections, block, Date.now(), OF_EACH_COLLECTION);
    const chosen = new Map<string, DueNft>();
    for (const nft of [...wanted, ...inTurn(due)]) {
      const key = keyText(nft);
      if (!this.#fetching.has(key)) chosen.set(key, nft);
    }
    return [...chosen.values()];
  }

  #startFetch(nft: DueNft): boolean {
    const { uri } = nft;
    const turn = uri === null ? undefined : this.#turns.take(nft.token, hostOf(uri));
    if (!turn || uri === null) return false;
    const key = keyText(nft);
    const fetching = this.#fetch(nft, uri, turn.deadlineMs)
      .then(turn.end, (error: unknown) => {
        turn.end(false);
        if (!this.#stopping.signal.aborted) this.#warn(error);
      })
      .finally(() => {
        this.#fetching.delete(key);
        this.wake();
      });
    this.#fetching.set(key, fetching);
    return true;
  }

  /** Answers whether the source has answered. */
  async #fetch(nft: DueNft, uri: string, deadlineMs: number): Promise<boolean> {
    const { metadata, fetchContent } = this.#parts;
    const known = outcomeOf(uri).outcome;
    if (known) {
      await metadata.saveContent(nft, uri, known, Date.now());
      return true;
    }
    const found = await fetchContent(uri, MAX_METADATA, deadlineMs);
    const outcome: Outcome =
      "bytes" in found
        ? await this.#space.fitting(nft.token, metadataOf(found.bytes))
        : { problem: found.problem, again: found.isFinal ? null : this.#again(nft.tries) };
    await metadata.saveContent(nft, uri, outcome, Date.now());
    return "bytes" in found;
  }

  /** Answers whether anything is known now that was not before. */
  async #askUris(nfts: readonly DueNft[], block: BlockRow): Promise<boolean> {
    const easy = nfts.filter(({ token }) => !this.#hard.has(token)).slice(0, URIS_AT_ONCE);
    // One after the other, and not many at a time.
    const [hard] = nfts.filter(({ token }) => this.#hard.has(token));
    const kept = await this.#askTogether(easy, block).catch((error: unknown) =>
      this.#askApart(easy, block, error),
    );
    if (!hard) return kept > 0;
    try {
      await this.#askTogether([hard], block);
      this.#hard.delete(hard.token);
    } catch (error) {
      await this.#putOff([hard], error);
    }
    return true;
  }

  /** Which of the contracts it was that has failed shows when each is asked by itself; where all fail, it is the node. */
  async #askApart(nfts: readonly DueNft[], block: BlockRow, error: unknown): Promise<number> {
    const collections = [...new Set(nfts.map(({ token }) => token))];
    if (collections.length === 1) {
      await this.#putOff(nfts, error);
      return 0;
    }
    let kept = 0;
    const failed: string[] = [];
    for (const token of collections) {
      const own = nfts.filter((nft) => nft.token === token);
      await this.#askTogether(own, block).then(
        (count) => {
          kept += count;
        },
        () => failed.push(token),
      );
      // A node that is gone is not asked for every collection in turn.
      if (failed.length === MAX_FAILED && kept === 0) break;
    }
    if (kept === 0) throw error;
    for (const token of failed) this.#hard.add(token);
    return kept;
  }

  async #putOff(nfts: readonly DueNft[], error: unknown): Promise<void> {
    const why = `the contract cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
    const fewest = nfts.reduce((least, { tries }) => Math.min(least, tries), Number.POSITIVE_INFINITY);
    const again = this.#again(fewest);
    await this.#parts.metadata.putOff(nfts, why.replaceAll("\0", "").slice(0, 300), again, Date.now());
  }

  async #askTogether(nfts: readonly DueNft[], block: BlockRow): Promise<number> {
    if (nfts.length === 0) return 0;
    const uris = await askTokenUris(this.#parts.node, nfts, block.number);
    const read: Parameters<NftMetadata["saveUris"]>[0][number][] = [];
    for (const [i, nft] of nfts.entries()) {
      const { uri, outcome } = outcomeOf(uris[i]);
      read.push({
        key: nft,
        uri,
        ...(outcome && { outcome: await this.#space.fitting(nft.token, outcome) }),
      });
    }
    return this.#parts.metadata.saveUris(read, block, Date.now());
  }

  #again(tries: number): number | null {
    return tries + 1 >= MAX_TRIES ? null : Date.now() + this.#parts.retryMs * 5 ** tries;
  }
}

/** What is known when a contract has named a URI; without an outcome it is to be fetched. */
function outcomeOf(uri: string | undefined): { uri: string | null; outcome?: Outcome } {
  if (uri === undefined) return { uri: null, outcome: problem("the contract names no metadata") };
  const kept = uri.length <= MAX_URI ? uri : null;
  if (isDataUri(uri)) {
    const content = contentOf(uri);
    const outcome = "bytes" in content ? metadataOf(content.bytes) : problem(content.problem);
    return { uri: kept, outcome };
  }
  // Some contracts answer the metadata itself.
  if (uri.startsWith("{")) return { uri: kept, outcome: metadataOf(Buffer.from(uri)) };
  if (kept === null) return { uri: null, outcome: problem("the address of the metadata is too long") };
  if (/^(https?|ipfs):\/\//i.test(uri)) return { uri };
  return { uri, outcome: problem("the address of the metadata is none of http, https, ipfs and data") };
}

/** Of a web address. What is in IPFS is at no host. */
function hostOf(uri: string): string | undefined {
  return /^https?:/i.test(uri) ? URL.parse(uri)?.host : undefined;
}

function contentOf(uri: string): FetchedContent {
  const bytes = dataUriContent(uri);
  if (!bytes) return { problem: "the data: URI cannot be read", isFinal: true };
  return bytes.length > MAX_METADATA ? { problem: TOO_LARGE, isFinal: true } : { bytes };
}

/** The first of each collection, then the second of each, and so on. */
function inTurn(nfts: readonly DueNft[]): DueNft[] {
  const seen = new Map<string, number>();
  return nfts
    .map((nft) => {
      const turn = seen.get(nft.token) ?? 0;
      seen.set(nft.token, turn + 1);
      return { nft, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ nft }) => nft);
}
