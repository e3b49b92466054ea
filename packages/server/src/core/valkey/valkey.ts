import { performance } from "node:perf_hooks";
import { assertInstalled } from "../featurePackages.ts";
import type { Logger } from "../logger.ts";

export type ValkeyClient = Awaited<ReturnType<typeof createValkeyClient>>;

export interface ValkeyOptions {
  /** `redis://`, `rediss://`, `valkey://` or `valkeys://`, with user, password, host, port and database. */
  url: string;
  /** Begins the names of all keys and channels, so that several applications can share a server. */
  prefix: string;
  logger: Pick<Logger, "info" | "warn">;
}

/** Valkey cannot be reached or does not respond: the caller uses the database instead. */
class ValkeyUnavailableError extends Error {
  override readonly name = "ValkeyUnavailableError";
}

const CONNECT_TIMEOUT_MS = 3_000;
/** How long a start waits for the first connection, in ms. */
const START_WAIT_MS = 2_000;
const MAX_RETRY_DELAY_MS = 1_000;
/** Time without a response after which a command fails, in ms. */
const COMMAND_TIMEOUT_MS = 1_000;
const HEARTBEAT_MS = 1_000;
/** A write by a script, as those of the rate limits: it fails on a full server, a replica, and without the permission. */
const PROBE = "return redis.call('set', KEYS[1], '', 'PX', '10000')";
/** Time without any traffic after which the connection is replaced, in ms. */
const SILENCE_TIMEOUT_MS = 5_000;

/**
 * A connection to Valkey or Redis. Nothing depends on it alone: while it is unavailable, commands fail at once, so that
 * callers use the database. The log has one line when an outage begins and one when it ends.
 */
export class Valkey {
  readonly client: ValkeyClient;
  readonly prefix: string;
  readonly #logger: ValkeyOptions["logger"];
  readonly #heartbeat: NodeJS.Timeout;
  readonly #listeners = new Set<(message: string) => void>();
  /** Whether the last command was not answered in time. */
  #isSilent = false;
  #isProbing = false;
  /** The error with which it rejects commands. */
  #commandError: string | undefined;
  #isSubscribed = false;
  #isClosed = false;
  /** The last error of the connection. */
  #error: string | undefined;
  /** Undefined until it is known. */
  #wasAvailable: boolean | undefined;

  private constructor(client: ValkeyClient, { prefix, logger }: ValkeyOptions) {
    this.client = client;
    this.prefix = prefix;
    this.#logger = logger;
    client.on("error", (error: unknown) => {
      this.#error = messageOf(error);
      this.#report();
    });
    client.on("ready", () => {
      this.#isSilent = false;
      void this.#subscribe();
      this.#report();
    });
    this.#heartbeat = setInterval(() => void this.#probe(), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Connects. Resolves without a connection if there is none in time; it is established later. */
  static async open(options: ValkeyOptions): Promise<Valkey> {
    const client = await createValkeyClient(options.url);
    const valkey = new Valkey(client, options);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      client.connect().then(
        () => valkey.#probe(),
        () => undefined,
      ),
      new Promise((resolve) => {
        timer = setTimeout(resolve, START_WAIT_MS);
      }),
    ]);
    clearTimeout(timer);
    valkey.#report();
    return valkey;
  }

  /** Returns why it cannot be used; undefined if it can. */
  unavailableReason(): string | undefined {
    if (this.client.isReady && this.#isSilent) return "Valkey does not respond";
    if (this.client.isReady) return this.#commandError && `Valkey rejects commands: ${this.#commandError}`;
    return `Valkey cannot be reached${this.#error === undefined ? "" : `: ${this.#error}`}`;
  }

  /** Runs a command. Rejects with ValkeyUnavailableError, or the error of the command. */
  async run<T>(command: () => Promise<T>): Promise<T> {
    const reason = this.unavailableReason();
    if (reason !== undefined) throw new ValkeyUnavailableError(reason);
    return this.#withDeadline(command);
  }

  /** Saves a text for a time, in ms. */
  async save(key: string, text: string, ttlMs: number): Promise<void> {
    await this.run(() => this.client.set(this.prefix + key, text, { PX: Math.max(1, Math.round(ttlMs)) }));
  }

  /** Returns a saved text that has not expired. */
  async load(key: string): Promise<string | undefined> {
    return (await this.run(() => this.client.get(this.prefix + key))) ?? undefined;
  }

  /** Sends a message to all processes that subscribe to messages of this prefix, including this one. */
  async publish(message: string): Promise<void> {
    await this.run(() => this.client.publish(this.#channel, message));
  }

  /** Calls the listener with each message that arrives. Returns a function that unsubscribes. */
  subscribe(listener: (message: string) => void): () => void {
    this.#listeners.add(listener);
    void this.#subscribe();
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    if (this.client.isOpen) this.client.destroy();
  }

  get #channel(): string {
    return `${this.prefix}messages`;
  }

  /** Subscribes once; the client repeats it when it has reconnected. */
  async #subscribe(): Promise<void> {
    if (this.#isSubscribed || this.#listeners.size === 0 || !this.client.isReady) return;
    this.#isSubscribed = true;
    try {
      await this.client.subscribe(this.#channel, (message) => {
        for (const listener of this.#listeners) listener(message);
      });
    } catch {
      // Repeated once it is connected.
      this.#isSubscribed = false;
    }
  }

  async #probe(): Promise<void> {
    // Without further commands, the silence of a dead connection is noticed, and it is replaced.
    if (this.#isProbing || !this.client.isReady) return;
    this.#isProbing = true;
    const timer = setTimeout(() => this.#markSilent(), COMMAND_TIMEOUT_MS);
    try {
      await this.client.eval(PROBE, { keys: [`${this.prefix}probe`] });
      this.#isSilent = false;
      this.#commandError = undefined;
      void this.#subscribe();
    } catch (error) {
      // Otherwise, the connection was lost, which is reported as an error.
      if (this.client.isReady) {
        this.#isSilent = false;
        this.#commandError = messageOf(error);
      }
    } finally {
      clearTimeout(timer);
      this.#isProbing = false;
    }
    this.#report();
  }

  async #withDeadline<T>(command: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // A response may have arrived while this process was busy.
        setImmediate(() => {
          reject(new ValkeyUnavailableError(`Valkey took ${Math.round(performance.now() - startedAt)} ms`));
        });
      }, COMMAND_TIMEOUT_MS);
    });
    try {
      return await Promise.race([command(), late]);
    } catch (error) {
      if (error instanceof ValkeyUnavailableError) this.#markSilent();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #markSilent(): void {
    this.#isSilent = true;
    this.#report();
  }

  #report(): void {
    const reason = this.unavailableReason();
    const isAvailable = reason === undefined;
    if (this.#isClosed || isAvailable === this.#wasAvailable) return;
    const isFirst = this.#wasAvailable === undefined;
    this.#wasAvailable = isAvailable;
    if (!isAvailable) this.#logger.warn("Valkey is away: the database is used instead", { reason });
    else if (!isFirst) this.#logger.info("Valkey is used again");
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

async function createValkeyClient(url: string) {
  assertInstalled("@purse/valkey", "Valkey");
  // Loaded by the servers that use it.
  const { createClient } = await import("@redis/client");
  return createClient({
    url: url.replace(/^valkey/, "redis"),
    name: "purse",
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      reconnectStrategy: (retries) =>
        Math.min(MAX_RETRY_DELAY_MS, 50 * 2 ** retries) * (0.5 + Math.random() / 2),
    },
  });
}
