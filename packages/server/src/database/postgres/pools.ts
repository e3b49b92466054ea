import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { SqlParameter } from "../sql/dialect.ts";
import { DatabaseUnavailableError, isConnectionLost, StatementTimeoutError } from "./errors.ts";
import { type Row, Session, type SessionOptions, type Sql } from "./session.ts";

/**
 * How long a request waits for an unreachable database, in ms. Requests do not fail during a restart that is shorter
 * than this.
 */
const CONNECT_WAIT_MS = 5_000;
/** How long a statement that was lost with its session waits for another session, in ms. */
const RETRY_WAIT_MS = 2_000;
/** How long a transaction waits for a session that others use, in ms. */
const ACQUIRE_TIMEOUT_MS = 20_000;
/** Delays between attempts to connect, in ms. The maximum limits how long a recovered database stays unnoticed. */
const MIN_RETRY_DELAY_MS = 20;
const MAX_RETRY_DELAY_MS = 500;
/** Maximum age of sessions, in ms, after which they are replaced to free their prepared statements. */
const MAX_AGE_MS = 45 * 60_000;
/** A session whose oldest statement takes longer than this is avoided if possible, in ms. */
const SLOW_MS = 50;

/** Opens sessions of one kind, with backoff while the server is unreachable. */
class SessionFactory {
  readonly #options: SessionOptions;
  #failures = 0;
  #lastFailure: unknown;
  #nextAttemptAt = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Retries until `deadline` (performance.now()). Rejects with DatabaseUnavailableError. */
  async open(deadline: number, isCanceled: () => boolean): Promise<Session> {
    for (;;) {
      const now = performance.now();
      const delay = this.#nextAttemptAt - now;
      if (isCanceled() || (delay > 0 && now + delay > deadline))
        throw new DatabaseUnavailableError(this.#lastFailure);
      // During a start, nothing else may keep the process running.
      if (delay > 0) await sleep(delay);
      try {
        const session = await Session.open(this.#options, this.#failures);
        this.#failures = 0;
        this.#lastFailure = undefined;
        this.#nextAttemptAt = 0;
        return session;
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.#failures += 1;
        this.#lastFailure = error;
        const maxDelay = Math.min(MAX_RETRY_DELAY_MS, MIN_RETRY_DELAY_MS * 2 ** (this.#failures - 1));
        this.#nextAttemptAt = performance.now() + maxDelay * (0.5 + Math.random() / 2);
        if (performance.now() >= deadline) throw new DatabaseUnavailableError(error);
      }
    }
  }
}

/**
 * Sessions that all requests share, for statements that may run twice: reads and idempotent changes. If the session of
 * a statement is lost, it is retried on another one.
 */
export class SharedPool implements Sql {
  readonly #factory: SessionFactory;
  readonly #max: number;
  readonly #sessions = new Set<Session>();
  /** Pending connection attempts, shared by all statements that wait for a session. */
  #opening = new Set<Promise<Session>>();
  #isClosed = false;

  constructor(options: SessionOptions, max: number) {
    this.#factory = new SessionFactory(options);
    this.#max = max;
  }

  async run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<readonly Row[]> {
    let deadline = performance.now() + CONNECT_WAIT_MS;
    for (let connectionLosses = 0; ; ) {
      const session = this.#pick() ?? (await this.#open(deadline));
      try {
        return await session.run(text, parameters);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        if (await session.isAtWork(this.#otherSession)) throw new StatementTimeoutError("read");
        connectionLosses += 1;
        // The statement is retried on another session, regardless of how long it took to detect the loss.
        if (connectionLosses === 1) deadline = Math.max(deadline, performance.now() + RETRY_WAIT_MS);
        if (this.#isClosed || performance.now() > deadline) throw new DatabaseUnavailableError(error);
      }
    }
  }

  async end(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  /** Destroys sessions that have received nothing for this many ms, since their connections may be dead. */
  destroySilent(ms: number): void {
    for (const session of this.#sessions) session.destroyIfSilent(ms);
  }

  /** Runs a statement once, on any session that is not lost. */
  readonly #otherSession: Sql = {
    run: async (text, parameters) => {
      const session = this.#pick() ?? (await this.#open(performance.now() + RETRY_WAIT_MS));
      return session.run(text, parameters, RETRY_WAIT_MS);
    },
  };

  /** Returns an idle session, or the least loaded one while another is being opened. */
  #pick(): Session | undefined {
    const now = performance.now();
    let best: { session: Session; load: number } | undefined;
    for (const session of this.#sessions) {
      if (session.inFlight === 0) {
        if (now - session.openedAt < MAX_AGE_MS) return session;
        this.#sessions.delete(session);
        void session.end();
        continue;
      }
      const load = session.inFlight + (session.waitingMs(now) > SLOW_MS ? 1_000 : 0);
      if (!best || load < best.load) best = { session, load };
    }
    const isFull = this.#sessions.size + this.#opening.size >= this.#max;
    // The session is opened in the background; its failure is reported to statements that wait for it.
    if (best && !isFull) this.#open(now + CONNECT_WAIT_MS).catch(() => undefined);
    return best?.session;
  }

  #open(deadline: number): Promise<Session> {
    const [known] = this.#opening;
    if (known && this.#sessions.size + this.#opening.size >= this.#max) return known;
    const opening = this.#factory
      .open(deadline, () => this.#isClosed)
      .then((session) => {
        this.#sessions.add(session);
        session.onLost(() => this.#sessions.delete(session));
        if (this.#isClosed) void session.end();
        return session;
      })
      .finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }
}

interface QueuedAcquire {
  resolve(session: Session): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

/** Sessions that are used by one transaction at a time. */
export class ExclusivePool {
  readonly #factory: SessionFactory;
  readonly #max: number;
  readonly #idle: Session[] = [];
  readonly #all = new Set<Session>();
  #opening = 0;
  #queue: QueuedAcquire[] = [];
  #isClosed = false;

  constructor(options: SessionOptions, max: number) {
    this.#factory = new SessionFactory(options);
    this.#max = max;
  }

  /** Whether a transaction could start without waiting. */
  get hasCapacity(): boolean {
    return this.#idle.length > 0 || this.#all.size + this.#opening < this.#max;
  }

  /** Runs `work` with exclusive use of a session. Rejects with DatabaseUnavailableError if no session can be opened. */
  async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#acquire();
    try {
      return await work(session);
    } finally {
      this.#release(session);
    }
  }

  async end(): Promise<void> {
    this.#isClosed = true;
    for (const { reject, timer } of this.#queue.splice(0)) {
      clearTimeout(timer);
      reject(new DatabaseUnavailableError());
    }
    await Promise.all([...this.#all].map((session) => session.end()));
  }

  /** Destroys sessions that have received nothing for this many ms, since their connections may be dead. */
  destroySilent(ms: number): void {
    for (const session of this.#all) session.destroyIfSilent(ms);
  }

  /** Destroys sessions on whose statements the server has not worked for this many ms: their connections are dead. */
  async destroyAbandoned(other: Sql, ms: number): Promise<void> {
    await Promise.all([...this.#all].map((session) => session.destroyIfAbandoned(other, ms)));
  }

  async #acquire(): Promise<Session> {
    if (this.#isClosed) throw new DatabaseUnavailableError();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isLost) continue;
      if (performance.now() - idle.openedAt < MAX_AGE_MS) return idle;
      this.#all.delete(idle);
      void idle.end();
    }
    if (this.#all.size + this.#opening < this.#max) return this.#open();
    return new Promise((resolve, reject) => {
      const queued: QueuedAcquire = {
        resolve,
        reject,
        timer: setTimeout(() => {
          this.#queue = this.#queue.filter((each) => each !== queued);
          reject(new DatabaseUnavailableError());
        }, ACQUIRE_TIMEOUT_MS),
      };
      this.#queue.push(queued);
    });
  }

  async #open(): Promise<Session> {
    this.#opening += 1;
    try {
      const session = await this.#factory.open(performance.now() + CONNECT_WAIT_MS, () => this.#isClosed);
      this.#all.add(session);
      session.onLost(() => this.#all.delete(session));
      return session;
    } catch (error) {
      // Without any open session, queued transactions would wait for one that is never returned.
      if (this.#all.size === 0) this.#rejectQueue(error);
      throw error;
    } finally {
      this.#opening -= 1;
    }
  }

  #release(session: Session): void {
    const next = this.#queue.shift();
    if (!next) {
      if (!session.isLost && !this.#isClosed) this.#idle.push(session);
      return;
    }
    clearTimeout(next.timer);
    if (session.isLost) this.#open().then(next.resolve, next.reject);
    else next.resolve(session);
  }

  #rejectQueue(error: unknown): void {
    for (const { reject, timer } of this.#queue.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  }
}
