import { isJsonObject, type JsonObject, parseWhere, wireDate } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
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

/** A stored delivery of a block that is not final. */
export interface PendingDelivery {
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
    const at = new Date(this.#clock()).toISOString();
    return deliveries.map(({ stream, chainId, blockNumber, blockHash, url, body, isPending }, i): Write => {
      const id = newObjectId(20);
      const object: JsonObject = {
        objectId: id,
        createdAt: at,
        updatedAt: at,
        source: stream,
        sequence: sequence + i,
        chainId,
        blockNumber,
        blockHash,
        url,
        body,
        confirmed: body.confirmed ?? false,
        ...(isPending && { pending: true }),
        status: "waiting",
        attempts: 0,
        nextAt: wireDate(new Date(at)),
      };
      return { kind: "create", schema, id, at, object };
    });
  }

  /** Returns the write after which a delivery is not sent again; `isRemoved` if its block was reorganized. */
  settle({ id }: PendingDelivery, isRemoved: boolean): Write {
    return {
      kind: "update",
      schema: this.#schemaOf(DELIVERY_CLASS),
      id,
      at: new Date(this.#clock()).toISOString(),
      operations: {
        pending: { op: "Delete" },
        ...(isRemoved && { removed: { op: "Set" as const, value: true } }),
      },
      subjects: null,
    };
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
    const schema = this.#schemaOf(DELIVERY_CLASS);
    const query = { schema, where, order: [], limit: undefined, skip: 0, subjects: null };
    return new Set((await this.#store.distinct(query, ["source"])).map(String));
  }

  /** Finds deliveries of blocks of a chain that are not final, in the order of their blocks. */
  async pending(
    chainId: number,
    blockNumber: JsonObject,
    limit: number,
    after?: PendingDelivery,
  ): Promise<PendingDelivery[]> {
    const where = { pending: true, chainId, blockNumber };
    const rest = after && {
      $or: [
        { blockNumber: { $gt: after.blockNumber } },
        { blockNumber: after.blockNumber, objectId: { $gt: after.id } },
      ],
    };
    const texts = await this.#store.find({
      schema: this.#schemaOf(DELIVERY_CLASS),
      where: parseWhere(rest ? { $and: [where, rest] } : where),
      order: [
        { path: ["blockNumber"], descending: false },
        { path: ["objectId"], descending: false },
      ],
      limit,
      skip: 0,
      subjects: null,
    });
    return texts.map((text) => {
      const row: JsonObject = JSON.parse(text);
      return {
        id: String(row.objectId),
        stream: String(row.source),
        blockNumber: Number(row.blockNumber),
        blockHash: String(row.blockHash),
        body: isJsonObject(row.body) ? row.body : {},
      };
    });
  }

  /** Deletes all deliveries of a stream. */
  async discard(stream: string): Promise<void> {
    const schema = this.#schemaOf(DELIVERY_CLASS);
    for (;;) {
      const where = parseWhere({ source: stream });
      const query = { schema, where, order: [], limit: 500, skip: 0, subjects: null };
      const ids = (await this.#store.find(query)).map((text): string => JSON.parse(text).objectId);
      if (ids.length === 0) return;
      await this.#store.write(ids.map((id) => ({ kind: "delete", schema, id, subjects: null })));
    }
  }
}
