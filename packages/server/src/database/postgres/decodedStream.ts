import { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { LogicalReplicationService, type Pgoutput } from "pg-logical-replication";
import { connectionConfig } from "./connectionConfig.ts";
import { type DecodedTransaction, formatLsn, parseLsn, TransactionAssembler } from "./decodedTransactions.ts";
import { DECODING_APPLICATION } from "./sessionKinds.ts";
import { TextPlugin } from "./textPlugin.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const ACKNOWLEDGE_MS = 1_000;

export interface DecodedStreamOptions {
  /** Of a server without a pooler; several hosts are tried in turn. */
  url: string;
  attempt: number;
  /** Whether to connect without TLS if it is only preferred. */
  isWithoutTls: boolean;
  /** Time without any data, although the server was asked to answer, after which the connection counts as dead, in ms. */
  silenceTimeoutMs: number;
  /** Of the publication and the slot. */
  name: string;
  /** The commit up to which everything is stored. */
  stored: bigint;
  onTransaction(transaction: DecodedTransaction): void;
  /** Called when everything before a position has been received, which may contain no changes of the publication. */
  onReached(position: bigint): void;
}

/** Neither data nor answers have come from the server, whose connection may be dead. */
export class SilentServerError extends Error {
  override readonly name = "SilentServerError";
}

/** The committed transactions of a replication slot, in the order of their commits. */
export class DecodedStream {
  readonly #service: LogicalReplicationService;
  readonly #plugin: TextPlugin;
  readonly #options: DecodedStreamOptions;
  readonly #socket: Socket;
  #stored: bigint;
  #receivedAt = performance.now();
  #failure: Error | undefined;

  constructor(options: DecodedStreamOptions) {
    this.#options = options;
    this.#stored = options.stored;
    this.#socket = new Socket();
    this.#plugin = new TextPlugin(options.name, (error) => this.stop(asError(error)));
    const { config, withoutTls } = connectionConfig(options.url, options.attempt);
    this.#service = new LogicalReplicationService(
      {
        ...(options.isWithoutTls ? (withoutTls ?? config) : config),
        application_name: DECODING_APPLICATION,
        stream: () => this.#socket,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      },
      // What was received is not stored yet: it is acknowledged below.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
  }

  /** Reads until the connection ends or `stop` is called. Rejects with the reason. */
  async read(): Promise<void> {
    const assembler = new TransactionAssembler(this.#options.name);
    this.#service.on("error", (error: Error) => this.stop(error));
    this.#service.on("data", (_position: string, message: Pgoutput.Message) => {
      this.#receivedAt = performance.now();
      // What follows a failure must not be stored: it would hide what is missing.
      if (this.#failure) return;
      try {
        const completed = assembler.add(message);
        if (completed) this.#options.onTransaction(completed);
      } catch (error) {
        this.stop(asError(error));
      }
    });
    this.#service.on("heartbeat", (position) => {
      this.#receivedAt = performance.now();
      if (!this.#failure && !assembler.isInTransaction) this.#options.onReached(parseLsn(position));
    });
    const timer = setInterval(() => this.#keepAlive(), ACKNOWLEDGE_MS).unref();
    try {
      await this.#service.subscribe(this.#plugin, this.#options.name, formatLsn(this.#stored));
      throw this.#failure ?? new Error("the server ended the replication");
    } catch (error) {
      throw this.#failure ?? error;
    } finally {
      clearInterval(timer);
      this.stop();
    }
  }

  /** Everything up to this commit is stored: the server need not keep it. */
  acknowledge(stored: bigint): void {
    this.#stored = stored;
    this.#send(false);
  }

  /** Receives nothing until `resume`. */
  pause(): void {
    this.#plugin.received?.pause();
  }

  resume(): void {
    this.#receivedAt = performance.now();
    this.#plugin.received?.resume();
  }

  stop(reason = new Error("the replication was stopped")): void {
    this.#failure ??= reason;
    this.#socket.destroy();
  }

  #keepAlive(): void {
    const isSilent = performance.now() - this.#receivedAt > this.#options.silenceTimeoutMs;
    if (isSilent && !this.#plugin.received?.isPaused())
      this.stop(new SilentServerError("the server is silent"));
    this.#send(true);
  }

  /** Acknowledges what is stored, and can request a reply. Lost connections are detected elsewhere. */
  #send(asksForAnswer: boolean): void {
    this.#service.acknowledge(formatLsn(this.#stored), asksForAnswer).catch(() => undefined);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
