import { IndexReadError } from "./indexErrors.ts";
import { currentGroup } from "./requestGroup.ts";

/** Max running and waiting reads: in total, and per client. */
const MAX_READS = 200;
const MAX_READS_PER_GROUP = 50;

/** Limits the concurrent reads of an index, in total and per client. */
export class ReadQuota {
  readonly #runningByGroup = new Map<string | undefined, number>();
  #running = 0;

  /** Executes a read. Rejects with IndexReadError if too many are running or waiting. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    const group = currentGroup();
    const groupReads = this.#runningByGroup.get(group) ?? 0;
    if (this.#running >= MAX_READS || (group !== undefined && groupReads >= MAX_READS_PER_GROUP))
      throw new IndexReadError("busy", `${this.#running} reads are already running or waiting`);
    this.#running += 1;
    this.#runningByGroup.set(group, groupReads + 1);
    try {
      return await read();
    } finally {
      this.#running -= 1;
      const remaining = (this.#runningByGroup.get(group) ?? 1) - 1;
      if (remaining > 0) this.#runningByGroup.set(group, remaining);
      else this.#runningByGroup.delete(group);
    }
  }
}
