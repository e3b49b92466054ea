import type { ChainService } from "@purse/chain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { LeasedWork } from "../../chainWork/leasedWork.ts";
import { stringField } from "../../chainWork/rowFields.ts";
import { WebhookQueue } from "../../chainWork/webhookQueue.ts";
import type { Logger } from "../../core/logger.ts";
import { OutageLog } from "../../core/outageLog.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { fencedStore, type LeaseHolder } from "../../database/leases/leaseHolder.ts";
import type { Store } from "../../database/store.ts";
import { parseStream, type Stream } from "./stream.ts";
import { StreamAddresses } from "./streamAddresses.ts";
import { DELIVERY_CLASS, StreamDeliveries } from "./streamDeliveries.ts";
import { StreamHistory } from "./streamHistory.ts";
import { StreamIndexer } from "./streamIndexer.ts";
import { StreamReplays } from "./streamReplays.ts";
import { StreamRows } from "./streamRows.ts";
import { StreamService } from "./streamService.ts";
import { StreamSettings } from "./streamSettings.ts";
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
  readonly settings: StreamSettings;
  readonly #dependencies: ChainStreamsDependencies;
  readonly #work: LeasedWork;
  readonly #rows: StreamRows;
  readonly #indexer: StreamIndexer;
  readonly #replays: StreamReplays;
  readonly #outages: OutageLog;
  #streams = new Map<string, Stream>();

  constructor(dependencies: ChainStreamsDependencies) {
    this.#dependencies = dependencies;
    const { store, schemaOf, chain, config, clock, logger } = dependencies;
    this.#outages = new OutageLog(logger);
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
    this.settings = new StreamSettings(store);
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
      outages: {
        log: this.#outages,
        pass: { failed: "streams could not be processed", succeeded: "streams are processed again" },
        delivery: {
          failed: "messages of streams could not be sent",
          succeeded: "messages of streams are sent again",
        },
      },
      clock,
    });
  }

  /** Chains of streams that are not configured: nothing is sent for them. None in processes without the lease. */
  get missingChains(): number[] {
    if (!this.#work.isActive) return [];
    const configured = new Set(this.#dependencies.chain.status().map(({ chain }) => chain));
    return this.#chains().filter((chainId) => !configured.has(chainId));
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
    const status = this.#dependencies.chain.status();
    const readable = new Set(
      status.flatMap(({ chain, isDatabaseUnavailable }) => (isDatabaseUnavailable ? [] : [chain])),
    );
    for (const chainId of this.#chains())
      if (readable.has(chainId)) await this.#repeat(chainId, () => this.#indexer.step(chainId));
    for (const replay of this.#replays.running) {
      const stream = this.#streams.get(stringField(replay, "stream"));
      const chainId = Number(replay.chainId);
      if (stream?.isActive && readable.has(chainId))
        await this.#repeat(chainId, () => this.#replays.step(replay, stream));
    }
    this.#work.deliver();
  }

  #chains(): number[] {
    return [...new Set([...this.#streams.values()].flatMap(({ startBlocks }) => [...startBlocks.keys()]))];
  }

  async #repeat(chainId: number, step: () => Promise<boolean>): Promise<void> {
    await this.#work.repeat(step, {
      key: `chain ${chainId}`,
      failed: "streams of a chain could not be processed",
      succeeded: "streams of a chain are processed again",
      fields: { chain: chainId },
    });
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
    for (const chain of this.missingChains)
      this.#outages.failed(`missing ${chain}`, "streams of a chain are not processed: it is not configured", {
        chain,
      });
  }

  #tryParse(row: JsonObject): Stream | undefined {
    const stream = { stream: row.objectId };
    const key = `stream ${row.objectId}`;
    try {
      const parsed = parseStream(row);
      this.#outages.succeeded(key, "a stream is valid again", stream);
      return parsed;
    } catch (error) {
      this.#outages.failed(key, "a stream is invalid", { ...stream, error: String(error) });
      return undefined;
    }
  }
}
