import { tooManyRequests } from "./tooManyRequests.ts";

export interface FairQueueOptions {
  /** Jobs that run at once. */
  concurrency: number;
  /** Jobs that wait at most, of all keys together. */
  maxWaiting: number;
  /** Jobs that wait at most for one key. */
  maxWaitingPerKey: number;
  /** How long a job may wait before it is refused, in ms. */
  maxWaitMs: number;
  /** Error message of refused jobs. */
  message: string;
}

/** Whom a job is for. */
export interface JobOwner {
  /** Keys take turns, and each has a bounded share of the queue; undefined for the server's own jobs. */
  key: string | undefined;
  /** Jobs of one group run one after the other. */
  group?: string | undefined;
}

interface Job {
  group: string | undefined;
  start(): Promise<void>;
  refuse(): void;
}

/** Sent to refused clients as Retry-After, in ms. */
const RETRY_AFTER_MS = 5_000;
const OWN = "own";

/**
 * Runs expensive work, a few jobs at a time. Waiting jobs are bounded in number and in time, and keys (client
 * addresses) take turns: however many jobs one key sends, the next job of another key runs after at most one of them.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Waiting jobs by key; the key whose turn is next comes first. */
  readonly #lines = new Map<string, Job[]>();
  /** Groups that have a job running. */
  readonly #busyGroups = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Rejects with 155: HTTP 429 where the key has too many jobs waiting, 503 where the server has, or for too long. */
  async run<T>({ key, group }: JobOwner, work: () => Promise<T>): Promise<T> {
    const { maxWaitMs, message } = this.#options;
    const lineKey = key === undefined ? OWN : `key ${key}`;
    this.#makeRoom(lineKey, key === undefined);
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
        this.#remove(lineKey, job);
        refuse();
      }, maxWaitMs);
      const line = this.#lines.get(lineKey);
      if (line) line.push(job);
      else this.#lines.set(lineKey, [job]);
      this.#waiting += 1;
      this.#startNext();
    });
  }

  #makeRoom(lineKey: string, isOwn: boolean): void {
    const { maxWaiting, maxWaitingPerKey, message } = this.#options;
    const ahead = this.#lines.get(lineKey)?.length ?? 0;
    if (!isOwn && ahead >= maxWaitingPerKey) throw tooManyRequests(RETRY_AFTER_MS, message);
    if (this.#waiting < maxWaiting) return;
    const [longestKey, longest] = this.#longestLine();
    const last = longest.at(-1);
    if (last === undefined || longest.length <= ahead + 1)
      throw tooManyRequests(RETRY_AFTER_MS, message, 503);
    // A key that has a larger share gives up its last place.
    this.#remove(longestKey, last);
    last.refuse();
  }

  #longestLine(): [string, Job[]] {
    let longest: [string, Job[]] = ["", []];
    for (const entry of this.#lines) if (entry[1].length > longest[1].length) longest = entry;
    return longest;
  }

  #remove(lineKey: string, job: Job): void {
    const line = this.#lines.get(lineKey);
    const index = line?.indexOf(job) ?? -1;
    if (!line || index < 0) return;
    line.splice(index, 1);
    this.#waiting -= 1;
    if (line.length === 0) this.#lines.delete(lineKey);
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const job = this.#takeNext();
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

  /** The first job of the first key that has one whose group is not busy; the key goes to the end of the turns. */
  #takeNext(): Job | undefined {
    for (const [lineKey, line] of this.#lines) {
      const job = line.find(({ group }) => group === undefined || !this.#busyGroups.has(group));
      if (!job) continue;
      this.#remove(lineKey, job);
      if (line.length > 0) {
        this.#lines.delete(lineKey);
        this.#lines.set(lineKey, line);
      }
      return job;
    }
    return undefined;
  }
}
