import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../core/logger.ts";
import type { Leases } from "../lease.ts";
import { LeaseHolder } from "../leases/leaseHolder.ts";
import { ChangeAppender } from "./changeAppender.ts";
import { DecodedStream, type DecodedStreamOptions, SilentServerError } from "./decodedStream.ts";
import type { DecodedTransaction } from "./decodedTransactions.ts";
import { DECODING_LEASE } from "./decodingLayout.ts";
import { type PreparedSlot, prepareSlot, type SlotDependencies } from "./replicationSlot.ts";
import type { Sql } from "./session.ts";

export interface ChangeRelayOptions extends SlotDependencies {
  /** Of a server without a pooler. */
  url: string;
  /** For adding changes to the log, one statement after the other. */
  sql: Sql;
  leases: Leases;
  logger: Logger;
  /** Called after changes were added, with their classes; without them, all readers have to read. */
  onAppended(classNames?: ReadonlySet<string>): void;
  /** What reads the slot, unless it is the database itself. */
  source?: ChangeRelaySource;
  /** Delay before another attempt, in ms. */
  retryMs?: number;
}

export interface ChangeRelaySource {
  prepareSlot(dependencies: SlotDependencies): Promise<PreparedSlot>;
  openStream(
    options: DecodedStreamOptions,
  ): Pick<DecodedStream, "read" | "acknowledge" | "pause" | "resume" | "stop">;
}

const DATABASE: ChangeRelaySource = {
  prepareSlot,
  openStream: (options) => new DecodedStream(options),
};

const RETRY_MS = 500;
/** Time without any data, although the server was asked to answer, after which the connection counts as dead, in ms. */
const SILENCE_TIMEOUT_MS = 5_000;
/** The same at most: a server that decodes a large transaction of other tables does not answer meanwhile. */
const MAX_SILENCE_TIMEOUT_MS = 5 * 60_000;
/** How many characters of changes one statement adds, about. */
const BATCH_SIZE = 2 * 1024 * 1024;
const BATCH_TRANSACTIONS = 2_000;
/** How many characters of changes wait before no more are received. */
const MAX_WAITING_SIZE = 16 * 1024 * 1024;
/** Bytes of the server's log without changes, after which their end is stored, so that the server can remove them. */
const MIN_ADVANCE = 1024n * 1024n;

/**
 * Reads changes by logical decoding and adds them to the change log, in one of the processes that can: the one with the
 * lease. The others go on from its position when it ends.
 */
export class ChangeRelay {
  readonly #options: ChangeRelayOptions;
  readonly #lease: LeaseHolder;
  readonly #closing = new AbortController();
  readonly #source: ChangeRelaySource;
  #stream: Pick<DecodedStream, "stop"> | undefined;
  #attempt = 0;
  #isWithoutTls = false;
  #silenceTimeoutMs = SILENCE_TIMEOUT_MS;
  #leading: Promise<void> | undefined;

  constructor(options: ChangeRelayOptions) {
    this.#options = options;
    this.#source = options.source ?? DATABASE;
    const { leases, logger } = options;
    this.#lease = new LeaseHolder({ leases, logger, name: DECODING_LEASE, onChange: () => this.#onTerm() });
  }

  start(): void {
    this.#lease.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stream?.stop();
    await this.#leading;
    await this.#lease.stop().catch(() => undefined);
  }

  get #isLeading(): boolean {
    return this.#lease.term !== undefined && !this.#closing.signal.aborted;
  }

  #onTerm(): void {
    if (!this.#isLeading) this.#stream?.stop();
    else
      this.#leading ??= this.#lead().finally(() => {
        this.#leading = undefined;
        // The next term may have begun meanwhile.
        this.#onTerm();
      });
  }

  async #lead(): Promise<void> {
    while (this.#isLeading) {
      try {
        await this.#relay();
      } catch (error) {
        if (!this.#isLeading) return;
        if (!this.#isWithoutTls && /does not support SSL/.test(String(error))) this.#isWithoutTls = true;
        else this.#attempt += 1;
        if (error instanceof SilentServerError)
          this.#silenceTimeoutMs = Math.min(MAX_SILENCE_TIMEOUT_MS, this.#silenceTimeoutMs * 2);
        this.#options.logger.warn("changes cannot be decoded: trying again", { error: String(error) });
      }
      await delay(this.#options.retryMs ?? RETRY_MS, undefined, {
        ref: false,
        signal: this.#closing.signal,
      }).catch(() => undefined);
    }
  }

  /** Relays until the stream ends, and rejects with the reason. */
  async #relay(): Promise<void> {
    const { url, sql, onAppended, logger } = this.#options;
    const { name, stored } = await this.#source.prepareSlot(this.#options);
    if (!this.#isLeading) return;
    const appender = new ChangeAppender(sql, stored);
    let waiting: DecodedTransaction[] = [];
    let waitingSize = 0;
    let reached: bigint | undefined;
    let appending: Promise<void> | undefined;

    async function append(): Promise<void> {
      while (waiting.length > 0 || reached !== undefined) {
        const batch = firstBatch(waiting);
        waiting = waiting.slice(batch.length);
        for (const { size } of batch) waitingSize -= size;
        const position = waiting.length === 0 ? reached : undefined;
        if (position !== undefined) reached = undefined;
        if (batch.some(({ isTooLarge }) => isTooLarge))
          logger.warn("a transaction is too large for the change log: live clients have to query again");
        const classNames = await appender.append(batch);
        if (classNames === undefined || classNames.size > 0) onAppended(classNames);
        if (position !== undefined) await appender.advance(position);
        stream.acknowledge(appender.stored);
        if (waitingSize < MAX_WAITING_SIZE / 2) stream.resume();
      }
    }
    function appendSoon(): void {
      appending ??= append()
        .catch((error: unknown) => stream.stop(error instanceof Error ? error : new Error(String(error))))
        .finally(() => {
          appending = undefined;
        });
    }
    const stream = this.#source.openStream({
      url,
      attempt: this.#attempt,
      isWithoutTls: this.#isWithoutTls,
      silenceTimeoutMs: this.#silenceTimeoutMs,
      name,
      stored,
      onTransaction: (transaction) => {
        // The slot may begin before what is stored, also each time before a transaction that takes long to decode.
        if (transaction.lsn <= appender.stored) return;
        this.#silenceTimeoutMs = SILENCE_TIMEOUT_MS;
        waiting.push(transaction);
        waitingSize += transaction.size;
        if (waitingSize > MAX_WAITING_SIZE) stream.pause();
        appendSoon();
      },
      onReached: (position) => {
        // Commits at the position itself come later.
        if (waiting.length > 0 || position - appender.stored < MIN_ADVANCE) return;
        reached = position - 1n;
        appendSoon();
      },
    });
    this.#stream = stream;
    try {
      await stream.read();
    } finally {
      this.#stream = undefined;
      waiting = [];
      await appending;
    }
  }
}

function firstBatch(transactions: readonly DecodedTransaction[]): DecodedTransaction[] {
  let size = 0;
  const end = transactions.findIndex((transaction, i) => {
    const isFull = i > 0 && (size + transaction.size > BATCH_SIZE || i >= BATCH_TRANSACTIONS);
    size += transaction.size;
    return isFull;
  });
  return end < 0 ? [...transactions] : transactions.slice(0, end);
}
