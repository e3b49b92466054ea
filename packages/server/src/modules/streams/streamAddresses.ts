import { createHash } from "node:crypto";
import { type JsonObject, parseWhere } from "@purse/protocol";
import { isConflict } from "../../chainWork/rowFields.ts";
import { idsCondition } from "../../data/objects/include.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, serverQuery } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";

const CLASS = "_ChainStreamAddress";
/** Rows of one transaction, and addresses of one look-up. */
const BATCH_SIZE = 1_000;

/** The addresses of streams: any number, found by a block's addresses with one indexed look-up. */
export class StreamAddresses {
  readonly #store: Store;
  readonly #schemaOf: (className: string) => ClassSchema;
  readonly #clock: () => number;

  constructor(store: Store, schemaOf: (className: string) => ClassSchema, clock: () => number) {
    this.#store = store;
    this.#schemaOf = schemaOf;
    this.#clock = clock;
  }

  /** Adds addresses (lower-case hex) that are not in the stream yet. */
  async add(stream: string, addresses: readonly string[]): Promise<void> {
    for (const batch of batches([...new Set(addresses)])) {
      // Another request may add some of them at the same time.
      for (let attempt = 0; ; attempt += 1) {
        const missing = await this.#missing(stream, batch);
        if (missing.length === 0) break;
        try {
          await this.#create(stream, missing);
          break;
        } catch (error) {
          if (!isConflict(error) || attempt >= 3) throw error;
        }
      }
    }
  }

  async remove(stream: string, addresses: readonly string[]): Promise<void> {
    const schema = this.#schemaOf(CLASS);
    for (const batch of batches([...new Set(addresses)])) {
      const missing = new Set(await this.#missing(stream, batch));
      const existing = batch.filter((address) => !missing.has(address));
      if (existing.length === 0) continue;
      await this.#store
        .write(existing.map((each) => ({ kind: "delete", schema, id: idOf(stream, each), subjects: null })))
        .catch((error: unknown) => {
          if (!isConflict(error)) throw error;
        });
    }
  }

  /** Removes all addresses of a stream. */
  async clear(stream: string): Promise<void> {
    const schema = this.#schemaOf(CLASS);
    for (;;) {
      const { addresses } = await this.list(stream, undefined, BATCH_SIZE);
      if (addresses.length === 0) return;
      await this.#store.write(
        addresses.map((each) => ({ kind: "delete", schema, id: idOf(stream, each), subjects: null })),
      );
    }
  }

  /** Lists addresses in ascending order, after one of them. */
  async list(
    stream: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ addresses: string[]; hasMore: boolean }> {
    const where = { stream, ...(after !== undefined && { address: { $gt: after } }) };
    const rows = await this.#find(where, limit + 1);
    const addresses = rows.map(({ address }) => String(address));
    return { addresses: addresses.slice(0, limit), hasMore: addresses.length > limit };
  }

  async count(stream: string): Promise<number> {
    return this.#store.count(serverQuery(this.#schemaOf(CLASS), { where: parseWhere({ stream }) }));
  }

  /** Returns the ids of the streams by address, for those that have any. */
  async streamsOf(addresses: readonly string[]): Promise<Map<string, Set<string>>> {
    const streams = new Map<string, Set<string>>();
    for (const batch of batches(addresses)) {
      for (const { address, stream } of await this.#find({ address: { $in: batch } }, undefined)) {
        const known = streams.get(String(address)) ?? new Set();
        streams.set(String(address), known.add(String(stream)));
      }
    }
    return streams;
  }

  async #missing(stream: string, addresses: readonly string[]): Promise<string[]> {
    const ids = addresses.map((address) => idOf(stream, address));
    const selection = { where: idsCondition(ids), limit: ids.length };
    const rows = await findRows(this.#store, this.#schemaOf(CLASS), selection);
    const found = new Set(rows.map(({ objectId }) => objectId));
    return addresses.filter((_, i) => !found.has(ids[i] ?? ""));
  }

  async #create(stream: string, addresses: readonly string[]): Promise<void> {
    const schema = this.#schemaOf(CLASS);
    const now = this.#clock();
    await this.#store.write(
      addresses.map((address) => createRow(schema, idOf(stream, address), now, { stream, address })),
    );
  }

  async #find(where: JsonObject, limit: number | undefined): Promise<JsonObject[]> {
    const order = limit === undefined ? undefined : "address";
    return findRows(this.#store, this.#schemaOf(CLASS), { where: parseWhere(where), order, limit });
  }
}

function idOf(stream: string, address: string): string {
  return createHash("sha256").update(`${stream} ${address}`).digest("hex").slice(0, 32);
}

function batches<Item>(items: readonly Item[]): Item[][] {
  const all: Item[][] = [];
  for (let at = 0; at < items.length; at += BATCH_SIZE) all.push(items.slice(at, at + BATCH_SIZE));
  return all;
}
