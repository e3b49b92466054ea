import type { ChainService } from "@purse/chain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { Logger } from "../../core/logger.ts";
import { type ClassRules, writtenOnlyThrough } from "../../data/objects/classRules.ts";
import { SYSTEM_CLASS_FIELDS } from "../../data/schema/systemClasses.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { fencedStore, type LeaseHolder } from "../../database/leases/leaseHolder.ts";
import type { Store } from "../../database/store.ts";
import { stringField } from "../eventWriter.ts";
import { LeasedWork } from "../leasedWork.ts";
import { WebhookQueue } from "../webhookQueue.ts";
import { parseStream, type Stream } from "./stream.ts";
import { StreamAddresses } from "./streamAddresses.ts";
import { DELIVERY_CLASS, StreamDeliveries } from "./streamDeliveries.ts";
import { StreamHistory } from "./streamHistory.ts";
import { StreamIndexer } from "./streamIndexer.ts";
import { StreamReplays } from "./streamReplays.ts";
import { StreamRows } from "./streamRows.ts";
import { StreamService } from "./streamService.ts";
import { streamHeaders } from "./streamSignature.ts";
import { countAttempt } from "./streamStats.ts";

export interface ChainStreamsDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  chain: ChainService;
  config: { streamsSecret?: string | undefined; allowPrivateHooks: boolean };
  /** The lease that lets a single process do the work. */
  lease(onChange: () => void): LeaseHolder;
  clock(): number;
  logger: Logger;
}

/** Sends what happens on chains to webhooks as Moralis' Streams do: manages the streams, and does the work of the lease. */
export class ChainStreams {
  readonly service: StreamService;
  readonly history: StreamHistory;
  readonly #dependencies: ChainStreamsDependencies;
  readonly #work: LeasedWork;
  readonly #rows: StreamRows;
  readonly #indexer: StreamIndexer;
  readonly #replays: StreamReplays;
  #streams = new Map<string, Stream>();

  constructor(dependencies: ChainStreamsDependencies) {
    this.#dependencies = dependencies;
    const { store, schemaOf, chain, config, clock, logger } = dependencies;
    const lease = dependencies.lease(() => this.#onLeaseChanged());
    const fenced = fencedStore(store, lease);
    const addresses = new StreamAddresses(store, schemaOf, clock);
    const deliveries = new StreamDeliveries(store, schemaOf, clock);
    this.#rows = new StreamRows(store, schemaOf, clock);
    const onChanged = () => this.#work.publishChange();
    this.service = new StreamService({
      rows: this.#rows,
      addresses,
      deliveries,
      chain,
      secret: config.streamsSecret,
      allowPrivateHooks: config.allowPrivateHooks,
      onChanged,
    });
    this.history = new StreamHistory(this.#rows, clock, onChanged);
    this.#indexer = new StreamIndexer({
      store: fenced,
      schemaOf,
      addresses,
      deliveries,
      chain: {
        eventReader: (chainId) => chain.eventReader(chainId),
        blockReader: (chainId) => chain.blockReader(chainId),
        statusOf: (chainId) => chain.status().find((status) => status.chain === chainId),
      },
      clock,
      logger,
    });
    this.#replays = new StreamReplays({
      rows: this.#rows,
      store: fenced,
      schemaOf,
      indexer: this.#indexer,
      clock,
      logger,
    });
    const queue = new WebhookQueue({
      store: fenced,
      schemaOf,
      className: DELIVERY_CLASS,
      requestOf: (message, attempts) => this.#requestOf(message, attempts),
      isPaused: (source) => this.#streams.get(source)?.isActive !== true,
      outcomeWrites: (message, error) => [
        countAttempt(stringField(message, "source"), error, schemaOf("_ChainStream"), clock()),
      ],
      isActive: () => this.#work.isActive,
      allowPrivate: config.allowPrivateHooks,
      clock,
      logger,
    });
    this.#work = new LeasedWork({
      lease,
      store,
      onChainStatus: (callback) => chain.onStatus(callback),
      notification: "chain-streams",
      pass: () => this.#pass(),
      queue,
      onError: (failed, error) =>
        this.#report(
          failed === "pass" ? "streams could not be processed" : "messages of streams could not be sent",
          error,
        ),
      clock,
    });
  }

  get rules(): ClassRules[] {
    const { _ChainStream, _ChainStreamAddress, _ChainStreamDelivery, _ChainStreamReplay } =
      SYSTEM_CLASS_FIELDS;
    return [_ChainStream, _ChainStreamAddress, _ChainStreamDelivery, _ChainStreamReplay].map((fields) => ({
      ...fields,
      ...writtenOnlyThrough("/api/v2/streams"),
    }));
  }

  start(): void {
    this.#work.start();
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }

  /** Messages go to the current URL of their stream. */
  #requestOf(message: JsonObject, retries: number) {
    const stream = this.#streams.get(stringField(message, "source"));
    const payload = isJsonObject(message.body) ? message.body : {};
    const body = JSON.stringify({ ...payload, retries });
    const headers = streamHeaders(body, this.#dependencies.config.streamsSecret);
    return { url: stream?.webhookUrl ?? stringField(message, "url"), headers, body };
  }

  #onLeaseChanged(): void {
    this.#indexer.reset();
    this.#work.invalidate();
  }

  async #pass(): Promise<void> {
    if (!this.#work.isActive) return;
    if (this.#work.isReloadDue()) await this.#reload();
    const chains = new Set([...this.#streams.values()].flatMap(({ startBlocks }) => [...startBlocks.keys()]));
    const unavailable = new Set(
      this.#dependencies.chain
        .status()
        .flatMap(({ chain, isDatabaseUnavailable }) => (isDatabaseUnavailable ? [chain] : [])),
    );
    for (const chainId of chains)
      if (!unavailable.has(chainId)) await this.#repeat(chainId, () => this.#indexer.step(chainId));
    for (const replay of this.#replays.running) {
      const stream = this.#streams.get(stringField(replay, "stream"));
      const chainId = Number(replay.chainId);
      if (stream?.isActive && !unavailable.has(chainId))
        await this.#repeat(chainId, () => this.#replays.step(replay, stream));
    }
    this.#work.deliver();
  }

  async #repeat(chainId: number, step: () => Promise<boolean>): Promise<void> {
    await this.#work.repeat(step, (error) =>
      this.#report("streams of a chain could not be processed", error, chainId),
    );
  }

  async #reload(): Promise<void> {
    const rows = await this.#rows.find("_ChainStream", {}, undefined);
    this.#streams = new Map(
      rows.flatMap((row) => {
        const stream = this.#tryParse(row);
        return stream ? [[stream.id, stream]] : [];
      }),
    );
    await this.#replays.load();
    this.#indexer.setStreams([...this.#streams.values()]);
  }

  #tryParse(row: JsonObject): Stream | undefined {
    try {
      return parseStream(row);
    } catch (error) {
      this.#report("a stream is invalid", error);
      return undefined;
    }
  }

  #report(message: string, error: unknown, chain?: number): void {
    const details = { error: String(error), ...(chain !== undefined && { chain }) };
    this.#dependencies.logger.error(message, details);
  }
}
