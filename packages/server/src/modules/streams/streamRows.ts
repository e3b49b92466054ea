import { type JsonObject, parseWhere } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, getRow, serverQuery, updateRow } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";

/** The rows of the classes of streams, which are written only by the server itself. */
export class StreamRows {
  readonly #store: Store;
  readonly #schemaOf: (className: string) => ClassSchema;
  readonly #clock: () => number;

  constructor(store: Store, schemaOf: (className: string) => ClassSchema, clock: () => number) {
    this.#store = store;
    this.#schemaOf = schemaOf;
    this.#clock = clock;
  }

  /** Lists rows in an order as in the API. */
  find(
    className: string,
    where: JsonObject,
    limit: number | undefined,
    order = "objectId",
  ): Promise<JsonObject[]> {
    return findRows(this.#store, this.#schemaOf(className), { where: parseWhere(where), order, limit });
  }

  async count(className: string, where: JsonObject): Promise<number> {
    return this.#store.count(serverQuery(this.#schemaOf(className), { where: parseWhere(where) }));
  }

  get(className: string, id: string): Promise<JsonObject | undefined> {
    return getRow(this.#store, this.#schemaOf(className), id);
  }

  async create(className: string, id: string, fields: JsonObject): Promise<JsonObject> {
    const write = createRow(this.#schemaOf(className), id, this.#clock(), fields);
    await this.#store.write([write]);
    return write.object;
  }

  /** Sets fields; null removes them. */
  async update(className: string, id: string, fields: JsonObject): Promise<void> {
    await this.#store.write([updateRow(this.#schemaOf(className), id, this.#clock(), fields)]);
  }

  async remove(className: string, id: string): Promise<void> {
    await this.#store.write([{ kind: "delete", schema: this.#schemaOf(className), id, subjects: null }]);
  }
}
