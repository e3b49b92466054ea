import { abiEntriesOf, type ChainService } from "@purse/chain";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError, tryParseJson } from "@purse/protocol";
import { LeasedWork } from "../../chainWork/leasedWork.ts";
import { stringField } from "../../chainWork/rowFields.ts";
import { WebhookQueue } from "../../chainWork/webhookQueue.ts";
import type { EventBus } from "../../core/eventBus.ts";
import type { FunctionCall } from "../../core/functionCall.ts";
import type { Logger } from "../../core/logger.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { OutageLog } from "../../core/outageLog.ts";
import { signedHeaders } from "../../core/webhookSignature.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import { LeaseLostError } from "../../database/lease.ts";
import { fencedStore, type LeaseHolder } from "../../database/leases/leaseHolder.ts";
import { findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import { AddressSummaries } from "./addressSummaries.ts";
import { AddressSync } from "./addressSync.ts";
import { DueIndexers } from "./dueIndexers.ts";
import { EventWriter } from "./eventWriter.ts";
import type { SyncedAddress } from "./syncedAddress.ts";
import { syncWatches } from "./syncTables.ts";
import { type ChainResolver, parseWatch, type Watch } from "./watch.ts";
import { WatchIndexer, type WatchIndexerDependencies } from "./watchIndexer.ts";
import { MESSAGE_CLASS, watchMessages } from "./watchMessages.ts";
import { watchOptionsOf, watchRules } from "./watchRules.ts";

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

const MAX_STORED_WATCHES = 1_000;
/** Stores on-chain events as objects: manages the watches, and does the work if this process holds the lease. */
export class ChainEvents {
  readonly #dependencies: ChainEventsDependencies;
  readonly #work: LeasedWork;
  /** All writes require the lease. */
  readonly #store: Store;
  readonly #writer: EventWriter;
  readonly #selector: ChainResolver;
  readonly #addressSync: AddressSync;
  readonly #summaries: AddressSummaries;
  #codeWatches: JsonObject[] = [];
  #indexers = new Map<string, WatchIndexer>();
  /** The indexers of each watch, by its id. */
  #indexersOf = new Map<string, WatchIndexer[]>();
  readonly #dueIndexers: DueIndexers;
  readonly #outages: OutageLog;
  /** Chains of watches and addresses that are not configured, as they are written there. */
  #missingChains = new Set<string>();

  constructor(dependencies: ChainEventsDependencies) {
    this.#dependencies = dependencies;
    const { objects, logger, clock, config, chain } = dependencies;
    this.#outages = new OutageLog(logger);
    const lease = dependencies.lease(() => this.#onLeaseChanged());
    const store = fencedStore(dependencies.store, lease);
    this.#store = store;
    this.#writer = new EventWriter({ store, schemas: dependencies.schemas, objects, logger });
    const queue = new WebhookQueue({
      store,
      isActive: () => this.#work.isActive,
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
    this.#work = new LeasedWork({
      lease,
      store: dependencies.store,
      onChainStatus: (callback) => chain.onStatus(callback),
      notification: "chain-watch",
      pass: () => this.#pass(),
      queue,
      outages: {
        log: this.#outages,
        pass: { failed: "chains could not be watched", succeeded: "chains are watched again" },
        delivery: {
          failed: "webhook messages could not be sent",
          succeeded: "webhook messages are sent again",
        },
      },
      clock,
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
      onChanged: () => this.#work.publishChange(),
      logger,
    });
    this.#dueIndexers = new DueIndexers(
      (chainId) => (this.#statusOf(chainId)?.isDatabaseUnavailable ? undefined : chain.eventReader(chainId)),
      this.#outages,
    );
    this.#summaries = new AddressSummaries({ store, schemas, chain, writer: this.#writer, logger });
    if (config.syncUserAddresses !== "off") {
      events.on("objects.changed", ({ className, before, after }) => {
        if (className !== "_User" && className !== "_EthAddress") return;
        if (className === "_User" && addressesIn(before) === addressesIn(after)) return;
        this.#work
          .publishChange()
          .catch((error: unknown) =>
            logger.warn("a linked address was not announced", { error: String(error) }),
          );
      });
    }
  }

  get rules(): ClassRules[] {
    const watches = watchRules(this.#selector, () => this.#work.publishChange(), this.#dependencies.clock);
    return [...watches, ...this.#addressSync.rules];
  }

  /** Cloud functions that create watches with the master key, by their names in Moralis v1 and shorter ones. */
  get functions(): { name: string; run(request: FunctionCall): Promise<JsonValue> }[] {
    const watch = (kind: "event" | "address") => async (request: FunctionCall) => {
      assertMaster(request);
      return this.#add(request, kind);
    };
    return [
      { name: "watchContractEvent", run: watch("event") },
      { name: "unwatchContractEvent", run: (request: FunctionCall) => this.#remove(request) },
      { name: "watchAddress", run: watch("address") },
      { name: "watchWallet", run: watch("address") },
      ...this.#addressSync.functions,
    ];
  }

  /** Sets the watches of the cloud code. */
  #setCodeWatches(definitions: readonly JsonObject[]): void {
    this.#codeWatches = [...definitions];
    this.#work.invalidate();
  }

  /** Chains of watches and synced addresses that are not configured: nothing is stored for them. */
  get missingChains(): ReadonlySet<string> {
    return this.#missingChains;
  }

  start(): void {
    this.#work.start();
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }

  async #add(request: FunctionCall, kind: "event" | "address"): Promise<JsonValue> {
    const { abi, chainId, chain, limit: _, syncHistorical, ...others } = request.params;
    if (kind === "event") assertEventNamed(request.params);
    const hasAbi = kind === "event" && abi !== undefined && abi !== null;
    const watchOptions: JsonObject = {
      ...others,
      chainId: String(chainId ?? chain ?? ""),
      ...(hasAbi && { abi }),
      ...(syncHistorical !== undefined && { sync_historical: syncHistorical }),
    };
    // In a query string all parameters are text.
    for (const name of ["sync_historical", "confirmations", "filter"]) {
      const value = watchOptions[name];
      if (typeof value === "string") watchOptions[name] = tryParseJson(value) ?? value;
    }
    const watch = parseWatch(watchOptions, this.#selector);
    const options = { ...watchOptions, ...(hasAbi && { abi: abiEntriesOf(abi) }) };
    const known = await this.#storedWatches();
    for (const row of known) {
      const existing = this.#tryParseWatch(row, true);
      if (existing?.id !== watch.id) continue;
      assertSameOptions(existing, watch, watchOptions);
      return { success: true, objectId: row.objectId ?? null };
    }
    const { body } = await this.#dependencies.objects.create(request, "_ChainWatch", options);
    return { success: true, objectId: body.objectId ?? null };
  }

  /** Deletes the watches of a table; its objects stay. */
  async #remove(request: FunctionCall): Promise<JsonValue> {
    assertMaster(request);
    const { tableName, ...others } = request.params;
    const unknown = Object.keys(others)[0];
    if (typeof tableName !== "string" || unknown !== undefined) {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "unwatchContractEvent takes tableName");
    }
    const stored = (await this.#storedWatches()).filter((row) => row.tableName === tableName);
    for (const { objectId } of stored)
      await this.#dependencies.objects.remove(request, "_ChainWatch", String(objectId));
    if (stored.length > 0) return { success: true };
    const isConfigured = [...this.#dependencies.config.watch, ...this.#codeWatches].some(
      (options) => options.tableName === tableName,
    );
    throw new ProtocolError(
      ErrorCode.OBJECT_NOT_FOUND,
      isConfigured
        ? `${tableName} is watched by the configuration or cloud code: remove it there`
        : `${tableName} is not watched`,
    );
  }

  async #pass(): Promise<void> {
    // Without the lease as well: the addresses of watches are indexed wherever the index is.
    if (this.#work.isReloadDue()) await this.#reloadWatches();
    if (!this.#work.isActive) return;
    for (const [watch, indexer] of await this.#dueIndexers.find(this.#indexers))
      await this.#work.repeat(() => indexer.step(), {
        key: `watch ${watch}`,
        failed: "events of a watch could not be stored",
        succeeded: "events of a watch are stored again",
        fields: { watch },
      });
    await this.#summarizeAddresses();
    this.#work.deliver();
  }

  /** Retried at the next poll if it fails. */
  async #summarizeAddresses(): Promise<void> {
    try {
      await this.#summaries.refresh(() => this.#work.isActive);
      await this.#addressSync.finish((synced) =>
        syncWatches(synced, this.#selector).every(({ id }) => this.#isCurrent(id)),
      );
      this.#outages.succeeded("addresses", "addresses are synced again");
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      this.#outages.failed("addresses", "addresses could not be synced", { error: String(error) });
    }
  }

  #isCurrent(watchId: string): boolean {
    const indexers = this.#indexersOf.get(watchId) ?? [];
    return indexers.length > 0 && indexers.every(({ isCurrent }) => isCurrent);
  }

  /** Another process may have done work in the meantime, so everything is reloaded. */
  #onLeaseChanged(): void {
    this.#indexers = new Map();
    this.#indexersOf = new Map();
    this.#summaries.reset();
    this.#work.invalidate();
  }

  /** Reloads the watches of the config file, the cloud code and the database; equal ones are merged. */
  async #reloadWatches(): Promise<void> {
    const { clock, config, chain, logger } = this.#dependencies;
    const store = this.#store;
    const configured = [...config.watch, ...this.#codeWatches];
    const stored = await this.#storedWatches();
    const all = await this.#addressSync.addresses();
    const addresses = all.filter(({ chainId }) => this.#statusOf(chainId) !== undefined);
    this.#reportMissingChains([...configured, ...stored], all);
    this.#summaries.setAddresses(addresses);
    const watches = [
      ...configured.flatMap((options) => this.#tryParseWatch(options) ?? []),
      // Earlier versions accepted filters that match nothing.
      ...stored.flatMap((options) => this.#tryParseWatch(options, true) ?? []),
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

  #tryParseWatch(options: JsonObject, isStored = false): Watch | undefined {
    const key = `options ${JSON.stringify(options)}`;
    try {
      const watch = parseWatch(watchOptionsOf(options), this.#selector, isStored);
      this.#outages.succeeded(key, "a watch is valid again", { watch: options });
      return watch;
    } catch (error) {
      this.#outages.failed(key, "a watch is invalid", { watch: options, error: String(error) });
      return undefined;
    }
  }

  #reportMissingChains(watches: readonly JsonObject[], addresses: readonly SyncedAddress[]): void {
    const selectors = [
      ...watches.map(({ chainId, chain }) => chainId ?? chain),
      ...addresses.map(({ chainId }) => chainId),
    ];
    this.#missingChains = new Set(
      selectors.filter((selector) => !this.#isConfigured(selector)).map(chainName),
    );
    for (const { chainId } of addresses)
      if (this.#missingChains.has(String(chainId)))
        this.#outages.failed(
          `missing ${chainId}`,
          "addresses of a chain are not synced: it is not configured",
          { chain: chainId },
        );
  }

  #isConfigured(selector: JsonValue | undefined): boolean {
    try {
      this.#selector.chainIdOf(selector);
      return true;
    } catch {
      return false;
    }
  }

  #storedWatches(): Promise<JsonObject[]> {
    const { store, schemas } = this.#dependencies;
    return findRows(store, schemas.require("_ChainWatch"), { limit: MAX_STORED_WATCHES });
  }

  #statusOf(chainId: number) {
    return this.#dependencies.chain.status().find(({ chain }) => chain === chainId);
  }
}

function assertMaster({ auth }: FunctionCall): void {
  if (auth.kind !== "master" || auth.readOnly) {
    throw operationForbidden("unauthorized: master key is required");
  }
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function assertEventNamed({ abi, topic }: JsonObject): void {
  if (isGiven(abi) || isGiven(topic)) return;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    "Invalid watch: topic or abi must name the event; watchAddress watches an address",
  );
}

/** Throws 142 if a watch exists and a request for it asks for more: nothing would be changed. */
function assertSameOptions(existing: Watch, requested: Watch, options: JsonObject): void {
  const changed = [
    ...(requested.isHistorical && !existing.isHistorical ? ["sync_historical"] : []),
    ...(["confirmations", "webhook"] as const).filter(
      (name) => isGiven(options[name]) && existing[name] !== requested[name],
    ),
  ];
  if (changed.length === 0) return;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `Invalid watch: ${requested.className} has it already, with another ${changed.join(" and ")}: ` +
      "call unwatchContractEvent first",
  );
}

/** Returns the linked addresses of a user, as text to compare. */
function addressesIn(user: string | null): string {
  const { accounts }: JsonObject = user === null ? {} : JSON.parse(user);
  return JSON.stringify(accounts ?? []);
}

/** The name of a chain, or its id as a decimal. */
function chainName(selector: JsonValue | undefined): string {
  const name = String(selector ?? "eth");
  return Number.isNaN(Number(name)) ? name.slice(0, 64) : String(Number(name));
}
