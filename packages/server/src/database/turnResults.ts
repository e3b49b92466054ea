import type { SqlParameter } from "./sql/dialect.ts";

type Parameters = readonly (SqlParameter | null)[];

interface Result<T> {
  parameters: Parameters;
  value: T;
}

/**
 * The results of reads in one turn of the event loop, so that identical reads, such as those of a page that many clients
 * open at once, run once. Holds the last result of each statement.
 */
export class TurnResults<T> {
  readonly #results = new Map<string, Result<T>>();
  readonly #atEndOfTurn: ((forget: () => void) => void) | undefined;

  /** `atEndOfTurn` calls a function when the results have to be forgotten; without it, the owner calls `clear`. */
  constructor(atEndOfTurn?: (forget: () => void) => void) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  get(text: string, parameters: Parameters): T | undefined {
    const result = this.#results.get(text);
    return result && areEqual(result.parameters, parameters) ? result.value : undefined;
  }

  set(text: string, parameters: Parameters, value: T): void {
    if (this.#results.size === 0) this.#atEndOfTurn?.(() => this.clear());
    this.#results.set(text, { parameters, value });
  }

  /** Returns the existing result, or that of `read`. */
  getOrRead(text: string, parameters: Parameters, read: () => T): T {
    const existing = this.get(text, parameters);
    if (existing !== undefined) return existing;
    const value = read();
    this.set(text, parameters, value);
    return value;
  }

  clear(): void {
    if (this.#results.size > 0) this.#results.clear();
  }
}

function areEqual(left: Parameters, right: Parameters): boolean {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false;
  return true;
}
