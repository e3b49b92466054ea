import type { LogFields } from "../core/logger.ts";
import type { OutageLog } from "../core/outageLog.ts";
import { LeaseLostError } from "../database/lease.ts";
import type { LeaseHolder } from "../database/leases/leaseHolder.ts";
import type { Store } from "../database/store.ts";
import type { WebhookQueue } from "./webhookQueue.ts";

export interface LeasedWorkOptions {
  lease: LeaseHolder;
  store: Pick<Store, "subscribe" | "publish">;
  /** Calls back when a chain has new blocks. */
  onChainStatus(callback: () => void): () => void;
  /** Notifies other processes that the subject of the work has changed. */
  notification: string;
  /** Does what is due. Called in every process; without the lease it must write nothing. */
  pass(): Promise<void>;
  queue: Pick<WebhookQueue, "deliverDue" | "waitForIdle">;
  /** What is logged when passes or deliveries begin to fail, and when they work again; they are repeated at each poll. */
  outages: { log: OutageLog; pass: OutageTexts; delivery: OutageTexts };
  clock(): number;
}

export interface OutageTexts {
  failed: string;
  succeeded: string;
}

/** Polling interval without notifications, in ms. */
const POLL_MS = 1_000;
/** How long what was loaded is current without a notification, in ms. */
const RELOAD_MS = 30_000;
/** How long stopping waits for webhook deliveries, in ms. */
const STOP_TIMEOUT_MS = 2_000;
/** Consecutive steps of one task before others have their turn. */
const MAX_CONSECUTIVE_STEPS = 20;

/**
 * Work on events of chains by one process, the holder of a lease. It runs passes on demand, and delivers webhooks in
 * parallel.
 */
export class LeasedWork {
  readonly #options: LeasedWorkOptions;
  readonly #unsubscribers: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #hasWork = false;
  #reloadedAt = 0;
  #passes: Promise<void> | undefined;
  #delivery: Promise<void> | undefined;

  constructor(options: LeasedWorkOptions) {
    this.#options = options;
  }

  /** Whether this process may do the work now. */
  get isActive(): boolean {
    return this.#isRunning && this.#options.lease.term !== undefined;
  }

  start(): void {
    const { store, notification, lease, onChainStatus } = this.#options;
    this.#isRunning = true;
    this.#unsubscribers.push(
      onChainStatus(() => this.schedule()),
      store.subscribe((message) => {
        if (message === undefined || message === notification) this.invalidate();
      }),
    );
    this.#timer = setInterval(() => this.schedule(), POLL_MS);
    this.#timer.unref();
    lease.start();
    this.schedule();
  }

  /** Waits for the pass in progress and a while for webhooks; a slow webhook is retried later. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    await this.#passes;
    const delivered = Promise.resolve(this.#delivery).then(() => this.#options.queue.waitForIdle());
    const timeout = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref());
    await Promise.race([delivered, timeout]);
    await this.#options.lease.stop();
  }

  /** Begins a pass, or lets the one in progress be followed by another. */
  schedule(): void {
    this.#hasWork = true;
    if (!this.#isRunning) return;
    // Begins later, so that a pass that schedules another one finds itself in progress.
    this.#passes ??= Promise.resolve().then(() => this.#work());
  }

  /** Lets the next pass reload what it is about, in this process. */
  invalidate(): void {
    this.#reloadedAt = 0;
    this.schedule();
  }

  /** Lets the next pass of every process reload what it is about. */
  async publishChange(): Promise<void> {
    this.invalidate();
    await this.#options.store.publish(this.#options.notification);
  }

  /** Whether a pass has to reload what it is about; it then counts as loaded. */
  isReloadDue(): boolean {
    const now = this.#options.clock();
    // A clock that was set back must not delay it.
    if (Math.abs(now - this.#reloadedAt) < RELOAD_MS) return false;
    this.#reloadedAt = now;
    return true;
  }

  /**
   * Runs the steps of a task until one returns false, or its time slice ends. An error is logged as an outage of the task,
   * which continues at the next poll.
   */
  async repeat(
    step: () => Promise<boolean>,
    task: OutageTexts & { key: string; fields: LogFields },
  ): Promise<void> {
    const { log } = this.#options.outages;
    try {
      for (let count = 0; count < MAX_CONSECUTIVE_STEPS; count += 1) {
        if (!this.isActive) return;
        const hasMore = await step();
        log.succeeded(task.key, task.succeeded, task.fields);
        if (!hasMore) return;
      }
      this.#hasWork = true;
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      log.failed(task.key, task.failed, { ...task.fields, error: String(error) });
    }
  }

  /** Sends due webhooks; slow ones delay nothing else. */
  deliver(): void {
    const { log, delivery } = this.#options.outages;
    this.#delivery ??= this.#options.queue
      .deliverDue(() => this.schedule())
      .then(
        () => log.succeeded("delivery", delivery.succeeded),
        (error: unknown) => log.failed("delivery", delivery.failed, { error: String(error) }),
      )
      .finally(() => {
        this.#delivery = undefined;
      });
  }

  async #work(): Promise<void> {
    const { log, pass } = this.#options.outages;
    try {
      while (this.#hasWork && this.#isRunning) {
        this.#hasWork = false;
        await this.#options.pass();
        log.succeeded("pass", pass.succeeded);
      }
    } catch (error) {
      // What was loaded may be incomplete.
      this.#reloadedAt = 0;
      log.failed("pass", pass.failed, { error: String(error) });
    } finally {
      this.#passes = undefined;
    }
  }
}
