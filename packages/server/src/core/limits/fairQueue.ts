import { tooManyRequests } from "./tooManyRequests.ts";

export interface FairQueueOptions {
  /** Jobs that run concurrently. */
  concurrency: number;
  /** Maximum number of waiting jobs of all keys together. */
  maxWaiting: number;
  /** Maximum number of waiting jobs of one key. */
  maxWaitingPerKey: number;
  /** How long a job may wait before it is rejected, in ms. */
  maxWaitMs: number;
  /** Error message of rejected jobs. */
  message: string;
}

/** Owner of a job. */
export interface JobOwner {
  /** Keys are served in turn, and each has a bounded share of the queue; undefined for the server's own jobs. */
  key: string | undefined;
  /** The jobs of a group run one at a time. */
  group?: string | undefined;
}

interface Job {
  group: string | undefined;
  start(): Promise<void>;
  refuse(): void;
}

/** Sent to rejected clients as Retry-After, in ms. */
const RETRY_AFTER_MS = 5_000;
const SERVER_KEY = "own";

/**
 * Runs expensive jobs with limited concurrency. Waiting jobs are bounded in number and in time, and keys (client IP
 * addresses) are served round robin: regardless of how many jobs one key has, the next job of another key waits for at
 * most one of them.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Waiting jobs by key; the key that is served next comes first. */
  readonly #queues = new Map<string, Job[]>();
  /** Groups with a running job. */
  readonly #busyGroups = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Rejects with 155: HTTP 429 if the key has too many waiting jobs, 503 if the queue is full or the job waits too long. */
  async run<T>({ key, group }: JobOwner, work: () => Promise<T>): Promise<T> {
    const { maxWaitMs, message } = this.#options;
    const queueKey = key === undefined ? SERVER_KEY : `key ${key}`;
    this.#ensureCapacity(queueKey, key === undefined);
    return new Promise<T>((resolve, reject) => {
      const refuse = () => {
        clearTimeout(deadline);
        reject(tooManyRequests(RETRY_AFTER_MS, message, 503));
      };
      const job: Job = {
        group,
        refuse,
        async start() {
          clearTimeout(deadline);
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        },
      };
      const deadline = setTimeout(() => {
        this.#remove(queueKey, job);
        refuse();
      }, maxWaitMs);
      const queue = this.#queues.get(queueKey);
      if (queue) queue.push(job);
      else this.#queues.set(queueKey, [job]);
      this.#waiting += 1;
      this.#startNext();
    });
  }

  #ensureCapacity(queueKey: string, isServerJob: boolean): void {
    const { maxWaiting, maxWaitingPerKey, message } = this.#options;
    const queued = this.#queues.get(queueKey)?.length ?? 0;
    if (!isServerJob && queued >= maxWaitingPerKey) throw tooManyRequests(RETRY_AFTER_MS, message);
    if (this.#waiting < maxWaiting) return;
    const [longestKey, longest] = this.#longestQueue();
    const last = longest.at(-1);
    if (last === undefined || longest.length <= queued + 1)
      throw tooManyRequests(RETRY_AFTER_MS, message, 503);
    // The key with the most waiting jobs loses its last one.
    this.#remove(longestKey, last);
    last.refuse();
  }

  #longestQueue(): [string, Job[]] {
    let longest: [string, Job[]] = ["", []];
    for (const entry of this.#queues) if (entry[1].length > longest[1].length) longest = entry;
    return longest;
  }

  #remove(queueKey: string, job: Job): void {
    const queue = this.#queues.get(queueKey);
    const index = queue?.indexOf(job) ?? -1;
    if (!queue || index < 0) return;
    queue.splice(index, 1);
    this.#waiting -= 1;
    if (queue.length === 0) this.#queues.delete(queueKey);
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const job = this.#dequeue();
      if (!job) return;
      const { group } = job;
      this.#running += 1;
      if (group !== undefined) this.#busyGroups.add(group);
      void job.start().finally(() => {
        this.#running -= 1;
        if (group !== undefined) this.#busyGroups.delete(group);
        this.#startNext();
      });
    }
  }

  /** Removes the first job whose group is not busy, in the order of the keys; its key moves to the end of that order. */
  #dequeue(): Job | undefined {
    for (const [queueKey, queue] of this.#queues) {
      const job = queue.find(({ group }) => group === undefined || !this.#busyGroups.has(group));
      if (!job) continue;
      this.#remove(queueKey, job);
      if (queue.length > 0) {
        this.#queues.delete(queueKey);
        this.#queues.set(queueKey, queue);
      }
      return job;
    }
    return undefined;
  }
}
