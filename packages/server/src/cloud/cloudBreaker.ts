import { tooManyRequests } from "../core/limits/tooManyRequests.ts";

/** How often one client may have a function or trigger block its thread before it is refused to that client. */
const CLIENT_STRIKES = 2;
/** How often all clients together may before it is refused to all. */
const TOTAL_STRIKES = 4;
/** How long it is refused, in ms. */
const REJECTION_MS = 60_000;
/** How long it is remembered that it has blocked a thread, in ms: who repeats it after a rejection is refused at once. */
const MEMORY_MS = 10 * 60_000;
/** Maximum number of remembered strikes; the oldest are forgotten first. */
const MAX_STRIKES = 1_000;

interface Strike {
  name: string;
  client: string;
  at: number;
}

/** A function or trigger that is not executed for a while. */
export interface RefusedCode {
  name: string;
  /** Whether it is refused to all clients, not only to those that had it block its thread. */
  isRefusedToAll: boolean;
  /** For how much longer, in ms. */
  remainingMs: number;
}

/** Refuses functions and triggers for a while that repeatedly blocked the thread of the cloud code, or ended it. */
export class CloudBreaker {
  readonly #clock: () => number;
  #strikes: Strike[] = [];

  /** `clock` returns ms. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Remembers that a client had a function or trigger block its thread; returns whether it is refused from now on. */
  strike(name: string, client: string | undefined): boolean {
    this.#forget();
    this.#strikes.push({ name, client: client ?? "", at: this.#clock() });
    this.#strikes.splice(0, this.#strikes.length - MAX_STRIKES);
    return this.rejection(name, client) !== undefined;
  }

  /** Whether a function or trigger has blocked its thread lately. */
  isSuspect(name: string): boolean {
    return this.#strikes.some((each) => each.name === name);
  }

  /** The error 155 for a call that is refused. */
  rejection(name: string, client: string | undefined): Error | undefined {
    if (this.#strikes.length === 0) return undefined;
    this.#forget();
    const strikes = this.#strikes.filter((each) => each.name === name);
    const own = strikes.filter((each) => each.client === (client ?? ""));
    const remainingForAll = this.#remaining(strikes, TOTAL_STRIKES);
    const remaining = Math.max(remainingForAll, this.#remaining(own, CLIENT_STRIKES));
    if (remaining <= 0) return undefined;
    const seconds = Math.ceil(remaining / 1_000);
    const message = `${name} has blocked the cloud code repeatedly and is refused for ${seconds} s.`;
    return tooManyRequests(remaining, message, remainingForAll > 0 ? 503 : 429);
  }

  /** Everything that is refused now, to all or to some. */
  refused(): RefusedCode[] {
    this.#forget();
    const byName = Map.groupBy(this.#strikes, ({ name }) => name);
    return [...byName].flatMap(([name, strikes]) => {
      const forAll = this.#remaining(strikes, TOTAL_STRIKES);
      const byClient = Map.groupBy(strikes, ({ client }) => client).values();
      const forSome = [...byClient].map((own) => this.#remaining(own, CLIENT_STRIKES));
      const remainingMs = Math.max(forAll, ...forSome);
      return remainingMs > 0 ? [{ name, isRefusedToAll: forAll > 0, remainingMs }] : [];
    });
  }

  #remaining(strikes: readonly Strike[], limit: number): number {
    const [last] = strikes.slice(-1);
    return last && strikes.length >= limit ? last.at + REJECTION_MS - this.#clock() : 0;
  }

  #forget(): void {
    const oldest = this.#clock() - MEMORY_MS;
    this.#strikes = this.#strikes.filter(({ at }) => at > oldest);
  }
}
