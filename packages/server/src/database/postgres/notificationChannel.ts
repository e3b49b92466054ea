import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Session, type SessionOptions, type Sql } from "./session.ts";

/** Channel for notifications between processes. */
const CHANNEL = "purse";
/** Sent if there are no other notifications; a connection that receives nothing at all is considered lost. */
const HEARTBEAT = "heartbeat";
const HEARTBEAT_MS = 1_500;
/** Time without notifications after which the connection is considered lost, in ms. */
const SILENCE_TIMEOUT_MS = 5_000;
const CHECK_MS = 500;
const MAX_RETRY_DELAY_MS = 500;

export interface NotificationChannelOptions {
  session: SessionOptions;
  /** Used to send notifications. */
  sql: Sql;
  /** Called with each notification; with undefined if some may have been missed. */
  onMessage(message: string | undefined): void;
  /** Called after this many ms without any notification: other sessions may be dead, too. */
  onSilence(ms: number): void;
  /** Called on a new session before `onMessage(undefined)`. Rejects to retry with another session. */
  onConnected(): Promise<void>;
}

/**
 * Notifications between processes that share a database (LISTEN and NOTIFY). A session that receives no heartbeats is
 * replaced, since its connection may be dead without an error.
 */
export class NotificationChannel {
  readonly #options: NotificationChannelOptions;
  #session: Session | undefined;
  #lastMessageAt = 0;
  #lastHeartbeatAt = 0;
  #checkTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: NotificationChannelOptions) {
    this.#options = options;
  }

  /** Resolves when notifications are received. Rejects if that is not possible now. */
  async open(): Promise<void> {
    await this.#listen();
    this.#checkTimer = setInterval(() => this.#check(), CHECK_MS);
    this.#checkTimer.unref();
  }

  /** Whether notifications are received, as far as known. */
  get isHealthy(): boolean {
    return this.#session !== undefined && !this.#session.isLost && this.#silentMs() < SILENCE_TIMEOUT_MS;
  }

  async send(message: string): Promise<void> {
    await this.#options.sql.run("SELECT pg_notify(?, ?)", [CHANNEL, message]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checkTimer);
    await this.#session?.end();
  }

  async #listen(): Promise<void> {
    const session = await Session.open(this.#options.session);
    session.onNotification((channel, payload) => {
      if (channel !== CHANNEL || this.#session !== session) return;
      this.#lastMessageAt = performance.now();
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
    this.#lastMessageAt = performance.now();
    session.onLost(() => {
      if (this.#session !== session || this.#isClosed) return;
      this.#session = undefined;
      void this.#reconnect();
    });
    this.#options.onMessage(undefined);
  }

  async #reconnect(): Promise<void> {
    for (let delay = 20; !this.#isClosed; delay = Math.min(MAX_RETRY_DELAY_MS, delay * 2)) {
      try {
        return await this.#listen();
      } catch {
        // Until a retry succeeds, the server reports that it is not ready.
        await sleep(delay * (0.5 + Math.random() / 2), undefined, { ref: false });
      }
    }
  }

  #check(): void {
    if (!this.#session) return;
    if (this.#silentMs() > SILENCE_TIMEOUT_MS) {
      this.#session.destroy("no notifications or heartbeats were received");
      // Heartbeats used the other sessions until then.
      this.#options.onSilence(SILENCE_TIMEOUT_MS - 2 * HEARTBEAT_MS);
      return;
    }
    const now = performance.now();
    if (this.#silentMs() < HEARTBEAT_MS || now - this.#lastHeartbeatAt < HEARTBEAT_MS) return;
    this.#lastHeartbeatAt = now;
    // If sending fails, nothing is received either, which is handled above.
    this.send(HEARTBEAT).catch(() => undefined);
  }

  #silentMs(): number {
    return performance.now() - this.#lastMessageAt;
  }
}
