import { type JsonValue, jsonKey } from "./wireValues.ts";

/** A set of values that are the same if `jsonEqual` holds. */
export class ValueSet {
  /** Texts and numbers, of which there may be very many, are compared without keys, which takes a fraction of the time. */
  readonly #plain = new Set<JsonValue>();
  /** The keys of objects and arrays. */
  readonly #keys = new Set<string>();

  constructor(values: readonly JsonValue[]) {
    for (const value of values) this.add(value);
  }

  has(value: JsonValue): boolean {
    return isPlain(value) ? this.#plain.has(value) : this.#keys.has(jsonKey(value));
  }

  /** Returns whether the value is new. */
  add(value: JsonValue): boolean {
    return isPlain(value) ? addTo(this.#plain, value) : addTo(this.#keys, jsonKey(value));
  }
}

function addTo<T>(set: Set<T>, value: T): boolean {
  const { size } = set;
  set.add(value);
  return set.size > size;
}

function isPlain(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== "object" || value === null;
}
