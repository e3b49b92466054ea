import { setTimeout as sleep } from "node:timers/promises";
import type { ChainService } from "@purse/chain";
import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import type { EventBus } from "../core/eventBus.ts";
import type { FunctionCall } from "../core/functionCall.ts";
import type { Logger } from "../core/logger.ts";
import { signedHeaders } from "../core/webhookSignature.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { ClassRules } from "../data/objects/rules.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import { LeaseLostError } from "../database/lease.ts";
import { fencedStore, type LeaseHolder } from "../database/leases/leaseHolder.ts";
import type { Store } from "../database/store.ts";
import { AddressSummaries } from "./addressSummaries.ts";
import { AddressSync } from "./addressSync.ts";
import { DueIndexers } from "./dueIndexers.ts";
import { EventWriter, stringField } from "./eventWriter.ts";
import { syncWatches } from "./syncTables.ts";
import { type ChainResolver, parseWatch, type Watch } from "./watch.ts";
import { WatchIndexer, type WatchIndexerDependencies } from "./watchIndexer.ts";
import { MESSAGE_CLASS, watchMessages } from "./watchMessages.ts";
import { watchOptionsOf, watchRules } from "./watchRules.ts";
import { WebhookQueue } from "./webhookQueue.ts";

export interface ChainEventsDependencies {
  store: Store;
  schemas: Schemas;
  events: EventBus;
  objects: Objects;
  chain: ChainService;
  config: {
    watch: JsonObject[];
    syncUserAddresses: "off" | "new" | "historical";
    webhookKey?: string | undefined;
    allowPrivateHooks: boolean;
  };
  /** The cloud code's decision about events of a class; undefined if it has none. */
  consumeTrigger(className: string): ((event: JsonObject) => Promise<boolean>) | undefined;
  /** The lease that lets a single process do the work. */
  lease(onChange: () => void): LeaseHolder;
  clock(): number;
  logger: Logger;
}

/** Polling interval without notifications, in ms. */
const POLL_MS = 1_000;
const RELOAD_MS = 30_000;
/** How long stopping waits for webhook deliveries, in ms. */
const STOP_TIMEOUT_MS = 2_000;
const NOTIFICATION = "chain-watch";
const MAX_STORED_WATCHES = 1_000;
/** Consecutive steps of one indexer before others have their turn. */
const MAX_CONSECUTIVE_STEPS = 20;

/** Stores on-chain events as objects: manages the watches, and does the work if this process holds the lease. */
export class ChainEvents {
  readonly #dependencies: ChainEventsDependencies;
  readonly #lease: LeaseHolder;
  /** All writes require the lease. */
  readonly #store: Store;
  readonly #writer: EventWriter;
  readonly #webhookQueue: WebhookQueue;
  readonly #selector: ChainResolver;
  readonly #addressSync: AddressSync;
  readonly #summaries: AddressSummaries;
  readonly #unsubscribers: (() => void)[] = [];
  #codeWatches: JsonObject[] = [];
  #indexers = new Map<string, WatchIndexer>();
  /** The indexers of each watch, by its id. */
  #indexersOf = new Map<string, WatchIndexer[]>();
  readonly #dueIndexers: DueIndexers;
  #reloadedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasWork = false;
  #isRunning = false;
  #workLoop: Promise<void> | undefined;
  #delivery: Promise<void> | undefined;

  constructor(dependencies: ChainEventsDependencies) {
    this.#dependencies = dependencies;
    const { objects, logger, clock, config, chain } = dependencies;
    this.#lease = dependencies.lease(() => this.#onLeaseChanged());
    const store = fencedStore(dependencies.store, this.#lease);
    this.#store = store;
    this.#writer = new EventWriter({ store, schemas: dependencies.schemas, objects, logger });
    this.#webhookQueue = new WebhookQueue({
      store,
      isActive: () => this.#lease.term !== undefined,
      schemaOf: (className) => dependencies.schemas.require(className),
      className: MESSAGE_CLASS,
      requestOf(message) {
        const body = JSON.stringify(message.body);
        const headers = signedHeaders(config.webhookKey, body, clock());
        return { url: stringField(message, "url"), headers, body };
      },
      allowPrivate: config.allowPrivateHooks,
      clock,
      logger,
    });
    dependencies.events.on("cloud.defined", ({ watches }) => this.#setCodeWatches(watches));
    this.#selector = {
      chainIdOf: (selector) => chain.resolveChainId(selector),
      isFullyIndexed: (chainId) => this.#statusOf(chainId)?.scope !== "wallets",
    };
    const { schemas, events } = dependencies;
    this.#addressSync = new AddressSync({
      store: dependencies.store,
      schemas,
      objects,
      chain,
      chains: this.#selector,
      userAddresses: config.syncUserAddresses,
      onChanged: () => this.#onWatchesChanged(),
      logger,
    });
    this.#dueIndexers = new DueIndexers(
      (chainId) => chain.eventReader(chainId),
      (chainId, error) =>
        logger.error("events of a chain could not be stored", { chain: chainId, error: String(error) }),
    );
    this.#summaries = new AddressSummaries({ store, schemas, chain, writer: this.#writer, logger });
    if (config.syncUserAddresses !== "off") {
      events.on("objects.changed", ({ className, before, after }) => {
        if (className !== "_User" && className !== "_EthAddress") return;
        if (className === "_User" && addressesIn(before) === addressesIn(after)) return;
        this.#onWatchesChanged().catch((error: unknown) =>
          logger.warn("a linked address was not announced", { error: String(error) }),
        );
      });
    }
  }

  get rules(): ClassRules[] {
    const watches = watchRules(this.#selector, () => this.#onWatchesChanged(), this.#dependencies.clock);
    return [...watches, ...this.#addressSync.rules];
  }

  /** Cloud functions that create watches with the master key, by their names in Moralis v1 and shorter ones. */
  get functions(): { name: string; run(request: FunctionCall): Promise<JsonValue> }[] {
    const watch = (kind: "event" | "address") => async (request: FunctionCall) => {
      if (request.auth.kind !== "master" || request.auth.readOnly) {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required");
      }
      return this.#add(request, kind);
    };
    return [
      { name: "watchContractEvent", run: watch("event") },
      { name: "watchAddress", run: watch("address") },
      { name: "watchWallet", run: watch("address") },
      ...this.#addressSync.functions,
    ];
  }

  /** Sets the watches of the cloud code. */
  #setCodeWatches(definitions: readonly JsonObject[]): void {
    this.#codeWatches = [...definitions];
    this.#reloadedAt = 0;
    this.#schedule();
  }

  start(): void {
    const { chain, store } = this.#dependencies;
    this.#isRunning = true;
    this.#unsubscribers.push(
      chain.onStatus(() => this.#schedule()),
      store.subscribe((message) => {
        if (message !== undefined && message !== NOTIFICATION) return;
        this.#reloadedAt = 0;
        this.#schedule();
      }),
    );
    this.#timer = setInterval(() => this.#schedule(), POLL_MS);
    this.#timer.unref();
    this.#lease.start();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    await this.#workLoop;
    // A slow webhook is retried later.
    const delivered = Promise.resolve(this.#delivery).then(() => this.#webhookQueue.waitForIdle());
    await Promise.race([delivered, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    await this.#lease.stop();
  }

  async #add(request: FunctionCall, kind: "event" | "address"): Promise<JsonValue> {
    const { abi, chainId, chain, limit: _, syncHistorical, ...others } = request.params;
    const watchOptions: JsonObject = {
      ...others,
      chainId: String(chainId ?? chain ?? ""),
      ...(kind === "event" && { abi: abi ?? [] }),
      ...(syncHistorical !== undefined && { sync_historical: syncHistorical }),
    };
    const { id } = parseWatch(watchOptions, this.#selector);
    const options = { ...watchOptions, ...(kind === "event" && { abi: abiEntries(abi) }) };
    const known = await this.#storedWatches();
    const duplicate = known.find((row) => this.#tryParseWatch(row)?.id === id);
    if (duplicate) return { success: true, objectId: duplicate.objectId ?? null };
    const { body } = await this.#dependencies.objects.create(request, "_ChainWatch", options);
    return { success: true, objectId: body.objectId ?? null };
  }

  async #onWatchesChanged(): Promise<void> {
    this.#reloadedAt = 0;
    this.#schedule();
    await this.#dependencies.store.publish(NOTIFICATION);
  }

  #schedule(): void {
    this.#hasWork = true;
    if (!this.#isRunning) return;
    this.#workLoop ??= this.#work()
      .catch((error: unknown) =>
        this.#dependencies.logger.error("chains could not be watched", { error: String(error) }),
      )
      .finally(() => {
        this.#workLoop = undefined;
      });
  }

  async #work(): Promise<void> {
    while (this.#hasWork && this.#isRunning) {
      this.#hasWork = false;
      await this.#reloadWatches();
      if (this.#lease.term === undefined) return;
      for (const [key, indexer] of await this.#dueIndexers.find(this.#indexers))
        await this.#runIndexer(key, indexer);
      await this.#summarizeAddresses();
      this.#deliverWebhooks();
    }
  }

  async #runIndexer(key: string, indexer: WatchIndexer): Promise<void> {
    try {
      for (let count = 0; count < MAX_CONSECUTIVE_STEPS; count += 1) {
        if (!this.#isRunning || this.#lease.term === undefined) return;
        if (!(await indexer.step())) return;
      }
      this.#hasWork = true;
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      // Retried at the next poll; other indexers continue.
      this.#dependencies.logger.error("events of a chain could not be stored", {
        watch: key,
        error: String(error),
      });
    }
  }

  /** Retried at the next poll if it fails. */
  async #summarizeAddresses(): Promise<void> {
    const isActive = () => this.#isRunning && this.#lease.term !== undefined;
    try {
      await this.#summaries.refresh(isActive);
      await this.#addressSync.finish((synced) =>
        syncWatches(synced, this.#selector).every(({ id }) => this.#isCurrent(id)),
      );
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      this.#dependencies.logger.error("addresses could not be synced", { error: String(error) });
    }
  }

  #isCurrent(watchId: string): boolean {
    const indexers = this.#indexersOf.get(watchId) ?? [];
    return indexers.length > 0 && indexers.every(({ isCurrent }) => isCurrent);
  }

  /** Slow webhooks delay nothing else. */
  #deliverWebhooks(): void {
    this.#delivery ??= this.#webhookQueue
      .deliverDue(() => this.#schedule())
      .catch((error: unknown) =>
        this.#dependencies.logger.error("webhook messages could not be sent", { error: String(error) }),
      )
      .finally(() => {
        this.#delivery = undefined;
      });
  }

  /** Another process may have done work in the meantime, so everything is reloaded. */
  #onLeaseChanged(): void {
    this.#indexers = new Map();
    this.#indexersOf = new Map();
    this.#summaries.reset();
    this.#reloadedAt = 0;
    this.#schedule();
  }

  /** Reloads the watches of the config file, the cloud code and the database; equal ones are merged. */
  async #reloadWatches(): Promise<void> {
    const { clock, config, chain, logger } = this.#dependencies;
    const store = this.#store;
    if (Math.abs(clock() - this.#reloadedAt) < RELOAD_MS) return;
    this.#reloadedAt = clock();
    const configured = [...config.watch, ...this.#codeWatches, ...(await this.#storedWatches())];
    const addresses = await this.#addressSync.addresses();
    this.#summaries.setAddresses(addresses);
    const watches = [
      ...configured.flatMap((options) => this.#tryParseWatch(options) ?? []),
      ...addresses.flatMap((synced) => syncWatches(synced, this.#selector)),
    ];
    const indexers = new Map<string, WatchIndexer>();
    const indexersOf = new Map<string, WatchIndexer[]>();
    const prefixes = new Set<string>();
    for (const watch of watches) {
      const feed = chain.eventReader(watch.chainId);
      const status = () => this.#statusOf(watch.chainId);
      const messageSchema = this.#dependencies.schemas.require(MESSAGE_CLASS);
      const enqueueWebhooks = (...message: Parameters<WatchIndexerDependencies["enqueueWebhooks"]>) =>
        watchMessages(messageSchema, clock(), ...message);
      const onWritten = ({ synced }: Watch) => synced && this.#summaries.markOutdated(synced);
      const { consumeTrigger } = this.#dependencies;
      const callbacks = { status, enqueueWebhooks, onWritten, consumeTrigger };
      const dependencies = { store, writer: this.#writer, feed, ...callbacks, logger };
      const signature = `${watch.webhook ?? ""} ${watch.confirmations}`;
      for (const selection of watch.selections) {
        const key = `${watch.id} ${selection.kind} ${signature}`;
        const prefix = `${watch.id} ${selection.kind} `;
        if (prefixes.has(prefix)) continue;
        prefixes.add(prefix);
        const indexer = this.#indexers.get(key) ?? new WatchIndexer(watch, selection, dependencies);
        indexers.set(key, indexer);
        indexersOf.set(watch.id, [...(indexersOf.get(watch.id) ?? []), indexer]);
      }
      if (status()?.scope === "wallets")
        chain.watch(
          watch.chainId,
          watch.selections.map(({ address }) => address),
        );
    }
    this.#indexers = indexers;
    this.#indexersOf = indexersOf;
  }

  #tryParseWatch(options: JsonObject): Watch | undefined {
    try {
      return parseWatch(watchOptionsOf(options), this.#selector);
    } catch (error) {
      this.#dependencies.logger.warn("a watch is invalid", {
        watch: options,
        error: String(error),
      });
      return undefined;
    }
  }

  async #storedWatches(): Promise<JsonObject[]> {
    const { store, schemas } = this.#dependencies;
    const schema = schemas.require("_ChainWatch");
    const query = {
      schema,
      where: parseWhere({}),
      order: [],
      limit: MAX_STORED_WATCHES,
      skip: 0,
      subjects: null,
    };
    return (await store.find(query)).map((text): JsonObject => JSON.parse(text));
  }

  #statusOf(chainId: number) {
    return this.#dependencies.chain.status().find(({ chain }) => chain === chainId);
  }
}

/** Returns the linked addresses of a user, as text to compare. */
function addressesIn(user: string | null): string {
  const { accounts }: JsonObject = user === null ? {} : JSON.parse(user);
  return JSON.stringify(accounts ?? []);
}

function abiEntries(abi: JsonValue | undefined): JsonValue {
  const value: unknown = typeof abi === "string" ? JSON.parse(abi) : abi;
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? [value] : [];
}
