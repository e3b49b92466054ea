/** How long a fetch may take that nothing is known against, and one of a collection that has been slow or failing. */
const QUICK_MS = 5_000;
const PATIENT_MS = 15_000;

/** Fetches at once: all, those of collections never read from, those of collections that were slow or failed. */
const SLOTS = 16;
const SLOTS_UNKNOWN = 8;
const SLOTS_TROUBLED = 4;
/** Of one collection that has answered last time; of others one. */
const SLOTS_GOOD = 4;
const REMEMBERED = 20_000;

type Standing = "unknown" | "good" | "troubled";

/**
 * Who may fetch next. A collection earns its turns by answering: those that are slow or fail share a few slots among
 * themselves, so that neither one of them nor many together delay the others.
 */
export class Turns {
  readonly #standings = new Map<string, Standing>();
  /** Fetches that are running, by collection, and as what each was started. */
  readonly #running = new Map<string, Standing[]>();

  /** Takes a slot: answers how long the fetch may last, in ms, and what to call at its end; undefined for not now. */
  take(collection: string): { deadlineMs: number; end(hasAnswered: boolean): void } | undefined {
    const standing = this.#standings.get(collection) ?? "unknown";
    const own = this.#running.get(collection) ?? [];
    const all = [...this.#running.values()].flat();
    const alike = all.filter((each) => each === standing).length;
    const isFull =
      all.length >= SLOTS ||
      own.length >= (standing === "good" ? SLOTS_GOOD : 1) ||
      (standing === "unknown" && alike >= SLOTS_UNKNOWN) ||
      (standing === "troubled" && alike >= SLOTS_TROUBLED);
    if (isFull) return undefined;
    this.#running.set(collection, [...own, standing]);
    return {
      deadlineMs: standing === "troubled" ? PATIENT_MS : QUICK_MS,
      end: (hasAnswered) => {
        const left = [...(this.#running.get(collection) ?? [])];
        left.splice(left.indexOf(standing), 1);
        if (left.length > 0) this.#running.set(collection, left);
        else this.#running.delete(collection);
        if (this.#standings.size >= REMEMBERED) this.#standings.clear();
        this.#standings.set(collection, hasAnswered ? "good" : "troubled");
      },
    };
  }
}
