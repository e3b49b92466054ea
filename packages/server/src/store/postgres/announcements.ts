import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Session, type SessionOptions, type Sql } from "./session.ts";

/** Where processes tell each other of changes. */
const CHANNEL = "purse";
/** Sent where nobody else has sent anything: who hears nothing at all has lost the connection. */
const HEARTBEAT = "heartbeat";
const HEARTBEAT_MS = 1_500;
/** Without anything heard for this long the connection counts as lost, in ms. */
const SILENCE_MS = 5_000;
const CHECK_MS = 500;
const LONGEST_PAUSE_MS = 500;

export interface AnnouncementsOptions {
  session: SessionOptions;
  /** By which announcements are sent. */
  sql: Sql;
  /** Called with what is announced; with undefined where something may have been missed. */
  onMessage(message: string | undefined): void;
  /** Told when nothing has been heard for so long, in ms: other sessions may lead nowhere, too. */
  onSilence(ms: number): void;
  /** Run on a new session before it is said that something may have been missed. Rejects to try another session. */
  onConnected(): Promise<void>;
}

/**
 * What processes that share a database tell each other (LISTEN and NOTIFY). A session that says nothing, though
 * heartbeats are sent, is replaced: it may have been lost without anybody noticing.
 */
export class Announcements {
  readonly #options: AnnouncementsOptions;
  #session: Session | undefined;
  #heardAt = 0;
  #sentAt = 0;
  #checking: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
  }

  /** Resolves when announcements arrive. Rejects where they cannot for now. */
  async open(): Promise<void> {
    await this.#listen();
    this.#checking = setInterval(() => this.#check(), CHECK_MS);
    this.#checking.unref();
  }

  /** Whether announcements arrive, as far as can be told. */
  get isHealthy(): boolean {
    return this.#session !== undefined && !this.#session.isLost && this.#silentMs() < SILENCE_MS;
  }

  async send(message: string): Promise<void> {
    await this.#options.sql.run("SELECT pg_notify(?, ?)", [CHANNEL, message]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checking);
    await this.#session?.end();
  }

  async #listen(): Promise<void> {
    const session = await Session.open(this.#options.session);
    session.onNotification((channel, payload) => {
      if (channel !== CHANNEL || this.#session !== session) return;
      this.#heardAt = performance.now();
      if (payload !== HEARTBEAT) this.#options.onMessage(payload);
    });
    try {
      await session.command(`LISTEN ${CHANNEL}`);
      await this.#options.onConnected();
    } catch (error) {
      session.destroy("it could not listen");
      throw error;
    }
    if (this.#isClosed) return session.end();
    this.#session = session;
    this.#heardAt = performance.now();
    session.onLost(() => {
      if (this.#session !== session || this.#isClosed) return;
      this.#session = undefined;
      void this.#reconnect();
    });
    this.#options.onMessage(undefined);
  }

  async #reconnect(): Promise<void> {
    for (let pause = 20; !this.#isClosed; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await this.#listen();
      } catch {
        // Until it succeeds the server says of itself that it is not ready.
        await sleep(pause * (0.5 + Math.random() / 2), undefined, { ref: false });
      }
    }
  }

  #check(): void {
    if (!this.#session) return;
    if (this.#silentMs() > SILENCE_MS) {
      this.#session.destroy("nothing was announced, not even a heartbeat");
      // Heartbeats went over the others until then.
      this.#options.onSilence(SILENCE_MS - 2 * HEARTBEAT_MS);
      return;
    }
    const now = performance.now();
    if (this.#silentMs() < HEARTBEAT_MS || now - this.#sentAt < HEARTBEAT_MS) return;
    this.#sentAt = now;
    // Whoever cannot send hears nothing either, and acts on that.
    this.send(HEARTBEAT).catch(() => undefined);
  }

  #silentMs(): number {
    return performance.now() - this.#heardAt;
  }
}
