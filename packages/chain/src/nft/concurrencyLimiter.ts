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
 * Of those for unknown and for troubled collections, fetches from one host at once: however many collections somebody
 * makes that name a slow host, those at other hosts have their turns.
 */
const SLOTS_OF_HOST: Readonly<Record<Standing, number>> = { unknown: 4, troubled: 2, good: SLOTS };

/** A slot for one fetch. */
export interface Turn {
  /** How long the fetch may last, in ms. */
  deadlineMs: number;
  /** To be called at its end. */
  end(hasAnswered: boolean): void;
}

/**
 * Who may fetch next. A collection earns its turns by answering: those that are slow or fail share a few slots among
 * themselves, so that neither one of them nor many together delay the others.
 */
export class Turns {
  readonly #standings = new Map<string, Standing>();
  readonly #running = new Set<{ collection: string; host: string | undefined; standing: Standing }>();

  /** Takes a slot; undefined for not now. `host` is that of web addresses. */
  take(collection: string, host?: string): Turn | undefined {
    const standing = this.#standings.get(collection) ?? "unknown";
    if (this.#isFull(collection, host, standing)) return undefined;
    const running = { collection, host, standing };
    this.#running.add(running);
    return {
      deadlineMs: standing === "troubled" ? PATIENT_MS : QUICK_MS,
      end: (hasAnswered) => {
        this.#running.delete(running);
        if (this.#standings.size >= REMEMBERED) this.#standings.clear();
        this.#standings.set(collection, hasAnswered ? "good" : "troubled");
      },
    };
  }

  #isFull(collection: string, host: string | undefined, standing: Standing): boolean {
    const running = [...this.#running];
    const alike = running.filter((each) => each.standing === standing);
    const ofCollection = running.filter((each) => each.collection === collection);
    const atHost = alike.filter((each) => host !== undefined && each.host === host);
    return (
      running.length >= SLOTS ||
      ofCollection.length >= (standing === "good" ? SLOTS_GOOD : 1) ||
      atHost.length >= SLOTS_OF_HOST[standing] ||
      (standing === "unknown" && alike.length >= SLOTS_UNKNOWN) ||
      (standing === "troubled" && alike.length >= SLOTS_TROUBLED)
    );
  }
}
