import { isJsonObject, type JsonObject, parseWhere, wireDate } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, serverQuery, updateRow } from "../../database/serverRows.ts";
import type { Store, Write } from "../../database/store.ts";

export const DELIVERY_CLASS = "_ChainStreamDelivery";

/** A message of a stream about one block. */
export interface StreamDelivery {
  stream: string;
  chainId: number;
  blockNumber: number;
  blockHash: string;
  url: string;
  body: JsonObject;
  /** Whether it is sent again once its block is final. */
  isPending: boolean;
}

/** A stored delivery about a block. */
export interface StoredDelivery {
  id: string;
  stream: string;
  blockNumber: number;
  blockHash: string;
  body: JsonObject;
}

/** Creates, confirms and removes the deliveries of streams. */
export class StreamDeliveries {
  readonly #store: Store;
  readonly #schemaOf: (className: string) => ClassSchema;
  readonly #clock: () => number;

  constructor(store: Store, schemaOf: (className: string) => ClassSchema, clock: () => number) {
    this.#store = store;
    this.#schemaOf = schemaOf;
    this.#clock = clock;
  }

  /** Returns the writes that enqueue deliveries, numbered from `sequence` on. */
  enqueue(deliveries: readonly StreamDelivery[], sequence: number): Write[] {
    const schema = this.#schemaOf(DELIVERY_CLASS);
    const now = this.#clock();
    return deliveries.map(
      ({ stream, chainId, blockNumber, blockHash, url, body, isPending }, i): Write =>
        createRow(schema, newObjectId(20), now, {
          source: stream,
          sequence: sequence + i,
          chainId,
          blockNumber,
          blockHash,
          url,
          body,
          confirmed: body.confirmed ?? false,
          ...(isPending && { pending: true }),
          ...(body.removed === true && { removed: true }),
          status: "waiting",
          attempts: 0,
          nextAt: wireDate(new Date(now)),
        }),
    );
  }

  /** Returns the write after which a delivery is not sent again; `isRemoved` if its block was reorganized. */
  settle({ id }: StoredDelivery, isRemoved: boolean): Write {
    const fields = { pending: null, ...(isRemoved && { removed: true }) };
    return updateRow(this.#schemaOf(DELIVERY_CLASS), id, this.#clock(), fields);
  }

  /** Returns the streams that have been sent a block, unless it was removed meanwhile. */
  async streamsOf(chainId: number, block: { number: number; hash: string }): Promise<Set<string>> {
    const where = parseWhere({
      chainId,
      blockNumber: block.number,
      blockHash: block.hash,
      confirmed: false,
      removed: { $exists: false },
    });
    const query = serverQuery(this.#schemaOf(DELIVERY_CLASS), { where });
    return new Set((await this.#store.distinct(query, ["source"])).map(String));
  }

  /** Finds deliveries of blocks of a chain that are not final, in the order of their blocks. */
  pending(
    chainId: number,
    blockNumber: JsonObject,
    limit: number,
    after?: StoredDelivery,
  ): Promise<StoredDelivery[]> {
    return this.#find({ pending: true, chainId, blockNumber }, limit, after);
  }

  /**
   * Finds the first deliveries of blocks of a chain, in their order, whether they have been confirmed or not; of those that
   * were delivered, as long as they are kept.
   */
  async sent(
    chainId: number,
    blockNumber: JsonObject,
    limit: number,
    after?: StoredDelivery,
  ): Promise<StoredDelivery[]> {
    const where = { chainId, blockNumber, confirmed: false, removed: { $exists: false } };
    return this.#find(where, limit, after);
  }

  async #find(where: JsonObject, limit: number, after?: StoredDelivery): Promise<StoredDelivery[]> {
    const rest = after && {
      $or: [
        { blockNumber: { $gt: after.blockNumber } },
        { blockNumber: after.blockNumber, objectId: { $gt: after.id } },
      ],
    };
    const rows = await findRows(this.#store, this.#schemaOf(DELIVERY_CLASS), {
      where: parseWhere(rest ? { $and: [where, rest] } : where),
      order: "blockNumber,objectId",
      limit,
    });
    return rows.map((row) => ({
      id: String(row.objectId),
      stream: String(row.source),
      blockNumber: Number(row.blockNumber),
      blockHash: String(row.blockHash),
      body: isJsonObject(row.body) ? row.body : {},
    }));
  }

  /** Deletes all deliveries of a stream. */
  async discard(stream: string): Promise<void> {
    const schema = this.#schemaOf(DELIVERY_CLASS);
    for (;;) {
      const where = parseWhere({ source: stream });
      const rows = await findRows(this.#store, schema, { where, limit: 500 });
      const ids = rows.map(({ objectId }) => String(objectId));
      if (ids.length === 0) return;
      await this.#store.write(ids.map((id) => ({ kind: "delete", schema, id, subjects: null })));
    }
  }
}
