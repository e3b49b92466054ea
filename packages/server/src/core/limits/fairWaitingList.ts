import { tooManyRequests } from "./tooManyRequests.ts";

export interface WaitingListOptions {
  /** Maximum number of waiting entries of all keys together. */
  maxWaiting: number;
  /** Maximum number of waiting entries of one key. */
  maxWaitingPerKey: number;
  /** Error message of rejected entries. */
  message: string;
}

interface Waiting {
  /** Rejects the entry because the list is full. */
  refuse(error: Error): void;
}

/** Sent to rejected clients as Retry-After, in ms. */
const RETRY_AFTER_MS = 5_000;
const SERVER_KEY = "own";

/**
 * Entries that wait for their turn, bounded in number. Keys (clients) are served round robin: regardless of how many
 * entries one key has, the next entry of another key waits for at most one of them.
 */
export class FairWaitingList<Entry extends Waiting> {
  readonly #options: WaitingListOptions;
  /** By key; the key that is served next comes first. */
  readonly #queues = new Map<string, Entry[]>();
  #size = 0;

  constructor(options: WaitingListOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an entry; `key` is undefined for the server's own. Throws 155: HTTP 429 if the key has too many entries, 503 if
   * the list is full and no other key has more. Otherwise the key with the most entries loses its last one.
   */
  add(key: string | undefined, entry: Entry): void {
    const { maxWaiting, maxWaitingPerKey, message } = this.#options;
    const queueKey = queueKeyOf(key);
    const queued = this.#queues.get(queueKey)?.length ?? 0;
    if (key !== undefined && queued >= maxWaitingPerKey) throw tooManyRequests(RETRY_AFTER_MS, message);
    if (this.#size >= maxWaiting) this.#freeCapacity(queued);
    this.#insert(queueKey, entry, "end");
  }

  /** Puts an entry that had its turn back in front of the others of its key, whether or not the list is full. */
  putBack(key: string | undefined, entry: Entry): void {
    this.#insert(queueKeyOf(key), entry, "front");
  }

  /** The error of an entry that is rejected although the list was not full when it was added, such as one that waits too long. */
  overload(): Error {
    return tooManyRequests(RETRY_AFTER_MS, this.#options.message, 503);
  }

  /** Returns whether the entry was waiting. */
  remove(key: string | undefined, entry: Entry): boolean {
    return this.#remove(queueKeyOf(key), entry);
  }

  /** Removes the first entry that may start, in the order of the keys; its key moves to the end of that order. */
  takeNext(mayStart: (entry: Entry) => boolean): Entry | undefined {
    for (const [queueKey, queue] of this.#queues) {
      const entry = queue.find(mayStart);
      if (!entry) continue;
      this.#remove(queueKey, entry);
      if (queue.length > 0) {
        this.#queues.delete(queueKey);
        this.#queues.set(queueKey, queue);
      }
      return entry;
    }
    return undefined;
  }

  some(test: (entry: Entry) => boolean): boolean {
    return [...this.#queues.values()].some((queue) => queue.some(test));
  }

  /** Removes all entries and returns them. */
  clear(): Entry[] {
    const entries = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return entries;
  }

  #freeCapacity(queued: number): void {
    const [longestKey, longest] = this.#longestQueue();
    const last = longest.at(-1);
    if (last === undefined || longest.length <= queued + 1) throw this.overload();
    this.#remove(longestKey, last);
    last.refuse(this.overload());
  }

  #longestQueue(): [string, Entry[]] {
    let longest: [string, Entry[]] = ["", []];
    for (const each of this.#queues) if (each[1].length > longest[1].length) longest = each;
    return longest;
  }

  #insert(queueKey: string, entry: Entry, place: "front" | "end"): void {
    const queue = this.#queues.get(queueKey);
    if (!queue) this.#queues.set(queueKey, [entry]);
    else if (place === "end") queue.push(entry);
    else queue.unshift(entry);
    this.#size += 1;
  }

  #remove(queueKey: string, entry: Entry): boolean {
    const queue = this.#queues.get(queueKey);
    const index = queue?.indexOf(entry) ?? -1;
    if (!queue || index < 0) return false;
    queue.splice(index, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(queueKey);
    return true;
  }
}

function queueKeyOf(key: string | undefined): string {
  return key === undefined ? SERVER_KEY : `key ${key}`;
}
