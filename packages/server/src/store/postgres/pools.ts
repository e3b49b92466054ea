import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { SqlParameter } from "../sql/dialect.ts";
import { DatabaseUnavailable, isConnectionLost } from "./errors.ts";
import { type Row, Session, type SessionOptions, type Sql } from "./session.ts";

/** How long a request waits for a database that cannot be reached, in ms: shorter than a restart it need not notice. */
const UNREACHABLE_MS = 5_000;
/** How long a statement that was lost with its session waits for another one, in ms. */
const SECOND_TRY_MS = 2_000;
/** How long it waits for a session that others use, in ms. */
const CROWDED_MS = 20_000;
/** Between attempts to connect, in ms: when the database is back, so is everything within this time. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** Sessions are replaced after about this time, in ms: what they keep prepared goes with them. */
const MAX_AGE_MS = 45 * 60_000;
/** A session whose oldest statement takes longer than this is avoided, in ms. */
const SLOW_MS = 50;

/** Opens sessions of one kind, with pauses while the server cannot be reached. */
class Opener {
  readonly #options: SessionOptions;
  #failures = 0;
  #nextAt = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Tries until `until` (performance.now()). Rejects with DatabaseUnavailable. */
  async open(until: number, isOver: () => boolean): Promise<Session> {
    for (;;) {
      const now = performance.now();
      const pause = this.#nextAt - now;
      if (isOver() || (pause > 0 && now + pause > until)) throw new DatabaseUnavailable();
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      try {
        const session = await Session.open(this.#options, this.#failures);
        this.#failures = 0;
        this.#nextAt = 0;
        return session;
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.#failures += 1;
        const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
        this.#nextAt = performance.now() + longest * (0.5 + Math.random() / 2);
        if (performance.now() >= until) throw new DatabaseUnavailable();
      }
    }
  }
}

/**
 * Sessions that all requests share, for statements that may run twice: reads, and changes that come to the same. A
 * statement whose session is lost runs again on another.
 */
export class SharedPool implements Sql {
  readonly #opener: Opener;
  readonly #max: number;
  readonly #sessions = new Set<Session>();
  /** Those that wait for a session while none is open share the attempts. */
  #opening = new Set<Promise<Session>>();
  #isClosed = false;

  constructor(options: SessionOptions, max: number) {
    this.#opener = new Opener(options);
    this.#max = max;
  }

  async run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<Row[]> {
    let until = performance.now() + UNREACHABLE_MS;
    for (let losses = 0; ; ) {
      const session = this.#pick() ?? (await this.#open(until));
      try {
        return await session.run(text, parameters);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        losses += 1;
        // However long it took to find out that a session was lost, the statement is tried on another.
        if (losses === 1) until = Math.max(until, performance.now() + SECOND_TRY_MS);
        if (this.#isClosed || performance.now() > until) throw new DatabaseUnavailable();
      }
    }
  }

  async end(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions].map((session) => session.end()));
  }

  /** Ends sessions on which nothing has been heard for so long, in ms: they may lead nowhere. */
  destroySilent(ms: number): void {
    for (const session of this.#sessions) session.destroyIfSilent(ms);
  }

  /** An idle session; while another is being opened the one that has least to do. */
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
    // Whoever has a session to use does not wait for another one; its failure is that of those who do.
    if (best && !isFull) this.#open(now + UNREACHABLE_MS).catch(() => undefined);
    return best?.session;
  }

  #open(until: number): Promise<Session> {
    const [known] = this.#opening;
    if (known && this.#sessions.size + this.#opening.size >= this.#max) return known;
    const opening = this.#opener
      .open(until, () => this.#isClosed)
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

interface Waiting {
  resolve(session: Session): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

/** Sessions that are lent to one transaction at a time. */
export class ExclusivePool {
  readonly #opener: Opener;
  readonly #max: number;
  readonly #idle: Session[] = [];
  readonly #all = new Set<Session>();
  #opening = 0;
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(options: SessionOptions, max: number) {
    this.#opener = new Opener(options);
    this.#max = max;
  }

  /** Whether a transaction could begin without waiting for others. */
  get hasRoom(): boolean {
    return this.#idle.length > 0 || this.#all.size + this.#opening < this.#max;
  }

  /** Lends a session for as long as `work` takes. Rejects with DatabaseUnavailable where none can be opened. */
  async lend<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take();
    try {
      return await work(session);
    } finally {
      this.#giveBack(session);
    }
  }

  async end(): Promise<void> {
    this.#isClosed = true;
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(new DatabaseUnavailable());
    }
    await Promise.all([...this.#all].map((session) => session.end()));
  }

  /** Ends sessions on which nothing has been heard for so long, in ms: they may lead nowhere. */
  destroySilent(ms: number): void {
    for (const session of this.#all) session.destroyIfSilent(ms);
  }

  async #take(): Promise<Session> {
    if (this.#isClosed) throw new DatabaseUnavailable();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isLost) continue;
      if (performance.now() - idle.openedAt < MAX_AGE_MS) return idle;
      this.#all.delete(idle);
      void idle.end();
    }
    if (this.#all.size + this.#opening < this.#max) return this.#open();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        resolve,
        reject,
        timer: setTimeout(() => {
          this.#waiting = this.#waiting.filter((each) => each !== waiting);
          reject(new DatabaseUnavailable());
        }, CROWDED_MS),
      };
      this.#waiting.push(waiting);
    });
  }

  async #open(): Promise<Session> {
    this.#opening += 1;
    try {
      const session = await this.#opener.open(performance.now() + UNREACHABLE_MS, () => this.#isClosed);
      this.#all.add(session);
      session.onLost(() => this.#all.delete(session));
      return session;
    } catch (error) {
      // Those that wait for a session to be given back would wait for one that is not there.
      if (this.#all.size === 0) this.#rejectWaiting(error);
      throw error;
    } finally {
      this.#opening -= 1;
    }
  }

  #giveBack(session: Session): void {
    const next = this.#waiting.shift();
    if (!next) {
      if (!session.isLost && !this.#isClosed) this.#idle.push(session);
      return;
    }
    clearTimeout(next.timer);
    if (session.isLost) this.#open().then(next.resolve, next.reject);
    else next.resolve(session);
  }

  #rejectWaiting(error: unknown): void {
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  }
}
