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
import type { ApiRequest } from "../http/api.ts";
import { fencedStore, type LeaseHolder } from "../leases/leaseHolder.ts";
import type { Objects } from "../objects/objects.ts";
import type { ClassRules } from "../objects/rules.ts";
import type { Log } from "../observe/log.ts";
import type { Schemas } from "../schema/schemas.ts";
import { LeaseLost } from "../store/lease.ts";
import type { Store } from "../store/store.ts";
import { EventWriter } from "./eventWriter.ts";
import { Messages } from "./messages.ts";
import { type ChainSelector, parseWatch, type Watch } from "./watch.ts";
import { WatchedChain } from "./watchedChain.ts";
import { storedOptions, watchRules } from "./watchRules.ts";

export interface ChainEventsParts {
  store: Store;
  schemas: () => Schemas;
  objects: Objects;
  chain: ChainService;
  config: { watch: JsonObject[]; webhookKey: string | undefined; allowPrivateHooks: boolean };
  /** The right to be the one process that does the work. */
  lease(onChange: () => void): LeaseHolder;
  clock(): number;
  log: Log;
}

/** How often it looks though nobody has told of anything, in ms. */
const LOOK_MS = 1_000;
const REREAD_MS = 30_000;
/** How long the end waits for web hooks that are being told. */
const STOP_MS = 2_000;
const ANNOUNCEMENT = "chain-watch";
const MOST = 1_000;
/** Looks in a row at one selection before others have their turn. */
const IN_A_ROW = 20;

/** What happens on chains as ordinary objects: who watches what, and the one process of all that does the work. */
export class ChainEvents {
  readonly #parts: ChainEventsParts;
  readonly #lease: LeaseHolder;
  /** What it writes it writes as the holder of the lease. */
  readonly #store: Store;
  readonly #writer: EventWriter;
  readonly #messages: Messages;
  readonly #selector: ChainSelector;
  readonly #ends: (() => void)[] = [];
  #coded: JsonObject[] = [];
  #chains = new Map<string, WatchedChain>();
  #rereadAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isWoken = false;
  #isRunning = false;
  #working: Promise<void> | undefined;
  #sending: Promise<void> | undefined;

  constructor(parts: ChainEventsParts) {
    this.#parts = parts;
    const { objects, log, clock, config, chain } = parts;
    this.#lease = parts.lease(() => this.#leaseChanged());
    const store = fencedStore(parts.store, this.#lease);
    this.#store = store;
    this.#writer = new EventWriter({ store, schemas: parts.schemas, objects, log });
    this.#messages = new Messages({
      store,
      isActive: () => this.#lease.term !== undefined,
      schemaOf: (className) => parts.schemas().require(className),
      webhookKey: config.webhookKey,
      allowPrivate: config.allowPrivateHooks,
      clock,
      log,
    });
    this.#selector = {
      chainIdOf: (selector) => chain.chainIdOf(selector),
      isWhole: (chainId) => this.#statusOf(chainId)?.scope !== "wallets",
    };
  }

  get rules(): ClassRules[] {
    return watchRules(this.#selector, () => this.#changed(), this.#parts.clock);
  }

  /** Functions by which the master key watches, by their names in Moralis v1 and by shorter ones. */
  get functions(): { name: string; run(request: ApiRequest): Promise<JsonValue> }[] {
    const watch = (kind: "event" | "address") => async (request: ApiRequest) => {
      if (request.auth.kind !== "master" || request.auth.readOnly) {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required");
      }
      return this.#add(request, kind);
    };
    return [
      { name: "watchContractEvent", run: watch("event") },
      { name: "watchAddress", run: watch("address") },
      { name: "watchWallet", run: watch("address") },
    ];
  }

  /** Takes the watches of the cloud code. */
  take(definitions: readonly JsonObject[]): void {
    this.#coded = [...definitions];
    this.#rereadAt = 0;
    this.#wake();
  }

  start(): void {
    const { chain, store } = this.#parts;
    this.#isRunning = true;
    this.#ends.push(
      chain.onStatus(() => this.#wake()),
      store.onAnnounced((message) => {
        if (message !== undefined && message !== ANNOUNCEMENT) return;
        this.#rereadAt = 0;
        this.#wake();
      }),
    );
    this.#timer = setInterval(() => this.#wake(), LOOK_MS);
    this.#timer.unref();
    this.#lease.start();
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    for (const end of this.#ends) end();
    await this.#working;
    // A server that is slow to answer is told again later.
    const sent = Promise.resolve(this.#sending).then(() => this.#messages.idle());
    await Promise.race([sent, sleep(STOP_MS, undefined, { ref: false })]);
    await this.#lease.stop();
  }

  async #add(request: ApiRequest, kind: "event" | "address"): Promise<JsonValue> {
    const { abi, chainId, chain, limit: _, syncHistorical, ...others } = request.params;
    const given: JsonObject = {
      ...others,
      chainId: String(chainId ?? chain ?? ""),
      ...(kind === "event" && { abi: abi ?? [] }),
      ...(syncHistorical !== undefined && { sync_historical: syncHistorical }),
    };
    const { id } = parseWatch(given, this.#selector);
    const options = { ...given, ...(kind === "event" && { abi: listOf(abi) }) };
    const known = await this.#rows();
    const same = known.find((row) => this.#read(row)?.id === id);
    if (same) return { success: true, objectId: same.objectId ?? null };
    const { body } = await this.#parts.objects.create(request, "_ChainWatch", options);
    return { success: true, objectId: body.objectId ?? null };
  }

  async #changed(): Promise<void> {
    this.#rereadAt = 0;
    this.#wake();
    await this.#parts.store.announce(ANNOUNCEMENT);
  }

  #wake(): void {
    this.#isWoken = true;
    if (!this.#isRunning) return;
    this.#working ??= this.#work()
      .catch((error: unknown) =>
        this.#parts.log.error("chains could not be watched", { error: String(error) }),
      )
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    while (this.#isWoken && this.#isRunning) {
      this.#isWoken = false;
      await this.#reread();
      if (this.#lease.term === undefined) return;
      for (const [key, chain] of this.#chains) await this.#follow(key, chain);
      this.#send();
    }
  }

  async #follow(key: string, chain: WatchedChain): Promise<void> {
    try {
      for (let count = 0; count < IN_A_ROW; count += 1) {
        if (!this.#isRunning || this.#lease.term === undefined) return;
        if (!(await chain.step())) return;
      }
      this.#isWoken = true;
    } catch (error) {
      if (error instanceof LeaseLost) return;
      // Tried again with the next look: the others go on.
      this.#parts.log.error("events could not be taken from a chain", { watch: key, error: String(error) });
    }
  }

  /** Servers that are slow to answer hold nothing up. */
  #send(): void {
    this.#sending ??= this.#messages
      .send(() => this.#wake())
      .catch((error: unknown) =>
        this.#parts.log.error("messages could not be sent", { error: String(error) }),
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /** Where another process has done the work meanwhile, all is read anew. */
  #leaseChanged(): void {
    this.#chains = new Map();
    this.#rereadAt = 0;
    this.#wake();
  }

  /** Reads what is watched: of the config file, of the code, of the rows; the same of several once. */
  async #reread(): Promise<void> {
    const { clock, config, chain, log } = this.#parts;
    const store = this.#store;
    if (Math.abs(clock() - this.#rereadAt) < REREAD_MS) return;
    this.#rereadAt = clock();
    const watches = [...config.watch, ...this.#coded, ...(await this.#rows())].flatMap(
      (options) => this.#read(options) ?? [],
    );
    const chains = new Map<string, WatchedChain>();
    for (const watch of watches) {
      const feed = chain.feed(watch.chainId);
      const status = () => this.#statusOf(watch.chainId);
      const messages = this.#messages.writes.bind(this.#messages);
      const parts = { store, writer: this.#writer, feed, status, messages, log };
      const known = `${watch.webhook ?? ""} ${watch.confirmations}`;
      for (const selection of watch.selections) {
        const key = `${watch.id} ${selection.kind} ${known}`;
        const own = `${watch.id} ${selection.kind} `;
        if ([...chains.keys()].some((other) => other.startsWith(own))) continue;
        chains.set(key, this.#chains.get(key) ?? new WatchedChain(watch, selection, parts));
      }
      if (status()?.scope === "wallets")
        chain.watch(
          watch.chainId,
          watch.selections.map(({ address }) => address),
        );
    }
    this.#chains = chains;
  }

  #read(options: JsonObject): Watch | undefined {
    try {
      return parseWatch(storedOptions(options), this.#selector);
    } catch (error) {
      this.#parts.log.warn("a watch says nothing that can be watched", {
        watch: options,
        error: String(error),
      });
      return undefined;
    }
  }

  async #rows(): Promise<JsonObject[]> {
    const { store, schemas } = this.#parts;
    const schema = schemas().require("_ChainWatch");
    const query = { schema, where: parseWhere({}), order: [], limit: MOST, skip: 0, principals: null };
    return (await store.find(query)).map((text): JsonObject => JSON.parse(text));
  }

  #statusOf(chainId: number) {
    return this.#parts.chain.status().find(({ chain }) => chain === chainId);
  }
}

function listOf(abi: JsonValue | undefined): JsonValue {
  const value: unknown = typeof abi === "string" ? JSON.parse(abi) : abi;
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? [value] : [];
}
