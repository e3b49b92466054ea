import { FairWaitingList, type WaitingListOptions } from "./fairWaitingList.ts";

export interface FairQueueOptions extends WaitingListOptions {
  /** Jobs that run concurrently. */
  concurrency: number;
  /** How long a job may wait before it is rejected, in ms. */
  maxWaitMs: number;
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
  refuse(error: Error): void;
}

/**
 * Runs expensive jobs with limited concurrency. Waiting jobs are bounded in number and in time, and keys (client IP
 * addresses) are served round robin: regardless of how many jobs one key has, the next job of another key waits for at
 * most one of them.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #waiting: FairWaitingList<Job>;
  /** Groups with a running job. */
  readonly #busyGroups = new Set<string>();
  #running = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#waiting = new FairWaitingList(options);
  }

  /** Rejects with 155: HTTP 429 if the key has too many waiting jobs, 503 if the queue is full or the job waits too long. */
  run<T>({ key, group }: JobOwner, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        group,
        refuse(error) {
          clearTimeout(deadline);
          reject(error);
        },
        async start() {
          clearTimeout(deadline);
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        },
      };
      this.#waiting.add(key, job);
      const deadline = setTimeout(() => {
        this.#waiting.remove(key, job);
        reject(this.#waiting.overload());
      }, this.#options.maxWaitMs);
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const job = this.#waiting.takeNext(({ group }) => group === undefined || !this.#busyGroups.has(group));
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
}
