/** Whose an entry is. */
export interface Owner {
  /** Such as an address. */
  key: string;
  /** Part of what has this key, such as connections of one age. */
  part?: number;
}

/** Entries that are taken in turn by key, and those of a key in turn by part; those of a part in order. */
export class RoundRobin<Entry> {
  /** What is taken next comes first. */
  readonly #queues = new Map<string, Map<number, Entry[]>>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  add(entry: Entry, { key, part = 0 }: Owner): void {
    const parts = this.#queues.get(key) ?? new Map<number, Entry[]>();
    const queue = parts.get(part);
    if (queue) queue.push(entry);
    else this.#queues.set(key, parts.set(part, [entry]));
  }

  take(): Entry | undefined {
    const ofKey = takeFirst(this.#queues);
    const ofPart = ofKey && takeFirst(ofKey.value);
    if (!ofKey || !ofPart) return undefined;
    const entry = ofPart.value.shift();
    if (ofPart.value.length > 0) ofKey.value.set(ofPart.key, ofPart.value);
    if (ofKey.value.size > 0) this.#queues.set(ofKey.key, ofKey.value);
    return entry;
  }
}

/** Takes out the first entry, which becomes the last one when it is put back. */
function takeFirst<Key, Value>(map: Map<Key, Value>): { key: Key; value: Value } | undefined {
  const [first] = map;
  if (!first) return undefined;
  const [key, value] = first;
  map.delete(key);
  return { key, value };
}
