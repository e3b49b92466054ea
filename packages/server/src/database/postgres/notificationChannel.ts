import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { changesNotification } from "../changeLog.ts";
import { isUnsupported } from "./errors.ts";
import { startChecks } from "./lateChecks.ts";
import { NOTIFICATION_COUNT, NotificationPoller } from "./notificationPoller.ts";
import { Session, type SessionOptions, type Sql } from "./session.ts";

/** Minimum time between two notifications of new changes, in ms: those between them are announced together. */
const CHANGES_INTERVAL_MS = 5;
/** Channel for notifications between processes. */
const CHANNEL = "purse";
/**
 * Sends a notification. Transactions that notify commit one after the other, so that none waits for the disk or a
 * standby: a notification that is lost in a crash is lost with its listeners' sessions.
 */
const NOTIFY = `SELECT pg_notify('${CHANNEL}', ?), set_config('synchronous_commit', 'off', true)`;
/** Sent if there are no other notifications; a connection that receives nothing at all is considered lost. */
const HEARTBEAT = "heartbeat";
const HEARTBEAT_MS = 1_500;
/** Time without notifications after which the connection is considered lost, in ms. */
const SILENCE_TIMEOUT_MS = 5_000;
/** Time without notifications after which their number is polled, in ms. */
const POLL_AFTER_MS = 2 * HEARTBEAT_MS;
const CHECK_MS = 500;
const MAX_RETRY_DELAY_MS = 500;
/** Delay before listening again after a session that received nothing at all, or that could not listen, in ms. */
const FRUITLESS_RETRY_MS = 30_000;

export interface NotificationChannelOptions {
  session: SessionOptions;
  /** Used to send notifications, and to poll their number. */
  sql: Sql;
  /** Called with each notification; with undefined if some may have been missed. */
  onMessage(message: string | undefined): void;
  /** Called after this many ms without any notification: other sessions may be dead, too. */
  onSilence(ms: number): void;
  /** Called on a new session before `onMessage(undefined)`. Rejects to retry with another session. */
  onConnected(): Promise<void>;
  /** Called when their number begins or ends to be polled because they do not arrive. */
  onPolling(isPolling: boolean): void;
}

/**
 * Notifications between processes that share a database (LISTEN and NOTIFY). A session that receives no heartbeats is
 * replaced, since its connection may be dead without an error. While none receives any, or the database does not know
 * LISTEN or NOTIFY, their number is polled.
 */
export class NotificationChannel {
  readonly #options: NotificationChannelOptions;
  readonly #poller: NotificationPoller;
  #session: Session | undefined;
  #lastMessageAt = 0;
  #lastHeartbeatAt = 0;
  #checkTimer: NodeJS.Timeout | undefined;
  /** Whether the current session has received anything. */
  #hasReceived = true;
  /** Whether the last session was given up because it received nothing at all, or could not listen. */
  #isFruitless = false;
  #isPolling = false;
  #isClosed = false;
  #changesTimer: NodeJS.Timeout | undefined;
  /** The classes whose changes are to be announced; undefined if they are not known. */
  #changedClasses: Set<string> | undefined = new Set();
  #changesSentAt = Number.NEGATIVE_INFINITY;

  constructor(options: NotificationChannelOptions) {
    this.#options = options;
    this.#poller = new NotificationPoller(options);
  }

  /** Resolves when notifications are received or polled. Rejects if the database cannot be reached now. */
  async open(): Promise<void> {
    try {
      await this.#listen();
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await this.#options.onConnected();
      this.#hasReceived = false;
      this.#lastMessageAt = Number.NEGATIVE_INFINITY;
      this.#pollIfSilent();
      void this.#reconnect();
    }
    this.#checkTimer = startChecks(CHECK_MS, (lateMs) => {
      this.#lastMessageAt = Math.min(performance.now(), this.#lastMessageAt + lateMs);
      this.#check();
    });
  }

  /** Whether notifications are received, or their number is polled, as far as known. */
  get isHealthy(): boolean {
    const isListening =
      this.#session !== undefined && !this.#session.isLost && this.#silentMs() < SILENCE_TIMEOUT_MS;
    return isListening || this.#poller.ageMs < SILENCE_TIMEOUT_MS;
  }

  async send(message: string): Promise<void> {
    const count = `nextval('${NOTIFICATION_COUNT}')`;
    try {
      await this.#options.sql.run(`${NOTIFY}, ${count}`, [message]);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await this.#options.sql.run(`SELECT ${count}`, []);
    }
  }

  /**
   * Announces new changes in the change log soon: of these classes, or of classes that are not known. If that fails, the
   * readers find them at their next poll.
   */
  sendChanges(classNames?: ReadonlySet<string>): void {
    if (!classNames) this.#changedClasses = undefined;
    else for (const name of classNames) this.#changedClasses?.add(name);
    if (this.#isClosed || this.#changesTimer) return;
    const delay = this.#changesSentAt + CHANGES_INTERVAL_MS - performance.now();
    this.#changesTimer = setTimeout(
      () => {
        this.#changesTimer = undefined;
        this.#changesSentAt = performance.now();
        const notification = changesNotification(this.#changedClasses ?? new Set());
        this.#changedClasses = new Set();
        this.#options.sql.run(NOTIFY, [notification]).catch(() => undefined);
      },
      Math.max(0, delay),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#changesTimer);
    clearInterval(this.#checkTimer);
    await this.#session?.end();
  }

  async #listen(): Promise<void> {
    const session = await Session.open(this.#options.session);
    session.onNotification((channel, payload) => {
      if (channel !== CHANNEL || this.#session !== session) return;
      this.#lastMessageAt = performance.now();
      this.#hasReceived = true;
      if (payload !== HEARTBEAT) this.#options.onMessage(payload);
    });
    try {
      await session.command(`LISTEN ${CHANNEL}`);
      await this.#options.onConnected();
    } catch (error) {
      this.#isFruitless = isUnsupported(error);
      session.destroy("it could not listen");
      throw error;
    }
    if (this.#isClosed) return session.end();
    this.#session = session;
    this.#hasReceived = false;
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
      // No session receives anything, so listening again would not help, and would reload all caches each time.
      if (this.#isFruitless) await sleep(FRUITLESS_RETRY_MS, undefined, { ref: false });
      this.#isFruitless = false;
      if (this.#isClosed) return;
      try {
        return await this.#listen();
      } catch {
        // Until a retry succeeds, the server reports that it is not ready.
        await sleep(delay * (0.5 + Math.random() / 2), undefined, { ref: false });
      }
    }
  }

  #check(): void {
    this.#pollIfSilent();
    if (!this.#session) return;
    if (this.#silentMs() > SILENCE_TIMEOUT_MS) {
      this.#isFruitless = !this.#hasReceived;
      this.#session.destroy("no notifications or heartbeats were received");
      // Heartbeats used the other sessions until then.
      this.#options.onSilence(SILENCE_TIMEOUT_MS - 2 * HEARTBEAT_MS);
      return;
    }
    const now = performance.now();
    if (this.#silentMs() < HEARTBEAT_MS || now - this.#lastHeartbeatAt < HEARTBEAT_MS) return;
    this.#lastHeartbeatAt = now;
    // If sending fails, nothing is received either, which is handled above.
    this.#options.sql.run(NOTIFY, [HEARTBEAT]).catch(() => undefined);
  }

  #pollIfSilent(): void {
    const isSilent = this.#silentMs() > POLL_AFTER_MS;
    if (isSilent) this.#poller.poll();
    else this.#poller.reset();
    // For as long as it takes to open another session, it is not worth mentioning.
    const isPolling = isSilent && (this.#isPolling || !this.#hasReceived);
    if (isPolling === this.#isPolling) return;
    this.#isPolling = isPolling;
    this.#options.onPolling(isPolling);
  }

  #silentMs(): number {
    return performance.now() - this.#lastMessageAt;
  }
}
