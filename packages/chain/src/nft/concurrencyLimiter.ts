/** Deadline of a fetch, and of one for a collection that was slow or failed before, in ms. */
const SHORT_DEADLINE_MS = 5_000;
const LONG_DEADLINE_MS = 15_000;

/** Max concurrent fetches: in total, for unknown collections, and for unreliable ones. */
const MAX_FETCHES = 16;
const MAX_UNKNOWN = 8;
const MAX_UNRELIABLE = 4;
/** Max concurrent fetches of a collection whose last fetch succeeded; of others one. */
const MAX_PER_GOOD_COLLECTION = 4;
const MAX_REMEMBERED = 20_000;

type Reliability = "unknown" | "good" | "unreliable";

/**
 * Max concurrent fetches from one host by reliability: many collections on a slow host must not delay those on
 * others.
 */
const MAX_PER_HOST: Readonly<Record<Reliability, number>> = { unknown: 4, unreliable: 2, good: MAX_FETCHES };

/** Permission for one fetch. */
export interface FetchSlot {
  /** Timeout of the fetch, in ms. */
  deadlineMs: number;
  /** Must be called when the fetch has ended. */
  release(hasSucceeded: boolean): void;
}

/**
 * Limits concurrent fetches. Collections gain slots by success: slow and failing ones share a few, so that they do
 * not delay others.
 */
export class ConcurrencyLimiter {
  readonly #reliability = new Map<string, Reliability>();
  readonly #running = new Set<{ collection: string; host: string | undefined; reliability: Reliability }>();

  /** Acquires a slot; undefined if none is available. `host` is the host of web URIs. */
  acquire(collection: string, host?: string): FetchSlot | undefined {
    const reliability = this.#reliability.get(collection) ?? "unknown";
    if (this.#isFull(collection, host, reliability)) return undefined;
    const running = { collection, host, reliability };
    this.#running.add(running);
    return {
      deadlineMs: reliability === "unreliable" ? LONG_DEADLINE_MS : SHORT_DEADLINE_MS,
      release: (hasSucceeded) => {
        this.#running.delete(running);
        if (this.#reliability.size >= MAX_REMEMBERED) this.#reliability.clear();
        this.#reliability.set(collection, hasSucceeded ? "good" : "unreliable");
      },
    };
  }

  #isFull(collection: string, host: string | undefined, reliability: Reliability): boolean {
    const running = [...this.#running];
    const sameReliability = running.filter((each) => each.reliability === reliability);
    const ofCollection = running.filter((each) => each.collection === collection);
    const atHost = sameReliability.filter((each) => host !== undefined && each.host === host);
    return (
      running.length >= MAX_FETCHES ||
      ofCollection.length >= (reliability === "good" ? MAX_PER_GOOD_COLLECTION : 1) ||
      atHost.length >= MAX_PER_HOST[reliability] ||
      (reliability === "unknown" && sameReliability.length >= MAX_UNKNOWN) ||
      (reliability === "unreliable" && sameReliability.length >= MAX_UNRELIABLE)
    );
  }
}
