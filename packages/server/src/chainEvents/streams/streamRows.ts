import { type JsonObject, type Operation, parseWhere } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
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

  /** Lists rows in the order of a field, ascending unless `descending`. */
  async find(
    className: string,
    where: JsonObject,
    limit: number | undefined,
    order: { field: string; descending: boolean } = { field: "objectId", descending: false },
  ): Promise<JsonObject[]> {
    const texts = await this.#store.find({
      schema: this.#schemaOf(className),
      where: parseWhere(where),
      order: [{ path: [order.field], descending: order.descending }],
      limit,
      skip: 0,
      subjects: null,
    });
    return texts.map((text): JsonObject => JSON.parse(text));
  }

  async count(className: string, where: JsonObject): Promise<number> {
    return this.#store.count({
      schema: this.#schemaOf(className),
      where: parseWhere(where),
      order: [],
      limit: undefined,
      skip: 0,
      subjects: null,
    });
  }

  async get(className: string, id: string): Promise<JsonObject | undefined> {
    const text = await this.#store.get(this.#schemaOf(className), id, null);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async create(className: string, id: string, fields: JsonObject): Promise<JsonObject> {
    const at = new Date(this.#clock()).toISOString();
    const object = { objectId: id, createdAt: at, updatedAt: at, ...fields };
    await this.#store.write([{ kind: "create", schema: this.#schemaOf(className), id, at, object }]);
    return object;
  }

  /** Sets fields; null removes them. */
  async update(className: string, id: string, fields: JsonObject): Promise<void> {
    const at = new Date(this.#clock()).toISOString();
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]): [string, Operation] => [
        name,
        value === null ? { op: "Delete" } : { op: "Set", value },
      ]),
    );
    const schema = this.#schemaOf(className);
    await this.#store.write([{ kind: "update", schema, id, at, operations, subjects: null }]);
  }

  async remove(className: string, id: string): Promise<void> {
    await this.#store.write([{ kind: "delete", schema: this.#schemaOf(className), id, subjects: null }]);
  }
}
