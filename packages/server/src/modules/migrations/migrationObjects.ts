import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { MigrationObjects } from "../../config/migration.ts";
import { internalRequest, MASTER } from "../../core/authContext.ts";
import { type BulkWrite, pagesOf, writeInBulk } from "../../data/objects/bulkAccess.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { Store } from "../../database/store.ts";

/** What a migration writes in a class. */
export interface ClassChanges {
  created: number;
  updated: number;
  removed: number;
  /** The first changes: the object that is changed or removed, and the fields that are written. */
  examples: { object?: JsonObject; changes?: JsonObject }[];
}

export interface MigrationObjectsDependencies {
  objects: Pick<Objects, "create" | "update" | "remove">;
  schemas: Pick<Schemas, "get">;
  store: Pick<Store, "find" | "write">;
  /** Whether nothing is written. Reads then do not see what was left out. */
  isDryRun: boolean;
  /** Where what is written is counted, by class. */
  changed: Map<string, ClassChanges>;
  /** Called after each write with the number of objects that the migration has written. */
  onWritten(count: number): void;
}

const MAX_EXAMPLES = 3;

/** Creates the objects of a migration. */
export function createMigrationObjects(dependencies: MigrationObjectsDependencies): MigrationObjects {
  const { objects, schemas, store, isDryRun, changed, onWritten } = dependencies;
  let written = 0;
  const request = internalRequest(MASTER);

  return {
    async find(className, where = {}) {
      const found: JsonObject[] = [];
      for await (const page of pages(className, where)) found.push(...page);
      return found;
    },
    async create(className, fields) {
      let objectId = newObjectId();
      await write(fields, async (item, options) => {
        const { body } = await objects.create(request, className, item, options);
        objectId = String(body.objectId);
      });
      count(className, "created", [{ changes: fields }]);
      return objectId;
    },
    async update(className, objectId, changes) {
      const object = await read(className, objectId);
      await write(changes, (item, options) => objects.update(request, className, objectId, item, options));
      count(className, "updated", [{ object, changes }]);
    },
    async remove(className, objectId) {
      const object = await read(className, objectId);
      await write(objectId, (id, options) => objects.remove(request, className, id, options));
      count(className, "removed", [{ object }]);
    },
    async updateEach(className, where, change) {
      let updated = 0;
      for await (const page of pages(className, where)) {
        const writes: { object: JsonObject; changes: JsonObject }[] = [];
        for (const object of page) {
          const changes = await change(object);
          if (changes !== undefined && Object.keys(changes).length > 0) writes.push({ object, changes });
        }
        updated += await writePage(writes, ({ object, changes }, options) =>
          objects.update(request, className, String(object.objectId), changes, options),
        );
        count(className, "updated", writes);
      }
      return updated;
    },
    async removeEach(className, where) {
      let removed = 0;
      for await (const page of pages(className, where)) {
        removed += await writePage(page, ({ objectId }, options) =>
          objects.remove(request, className, String(objectId), options),
        );
        count(
          className,
          "removed",
          page.map((object) => ({ object })),
        );
      }
      return removed;
    },
  };

  async function* pages(className: string, where: JsonObject): AsyncGenerator<JsonObject[]> {
    const schema = schemas.get(className);
    if (schema) yield* pagesOf(store, schema, where);
    // As a dry run, it may be one that a start or an earlier migration creates.
    else if (!isDryRun)
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `Class ${className} does not exist.`);
  }

  async function read(className: string, objectId: string): Promise<JsonObject> {
    for await (const [object] of pages(className, { objectId })) if (object) return object;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `${className} ${objectId} does not exist.`);
  }

  /** Writes one object. Throws 101 if it does not exist. */
  async function write<Item>(item: Item, task: BulkWrite<Item>): Promise<void> {
    if ((await writePage([item], task)) === 0)
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
  }

  async function writePage<Item>(items: readonly Item[], task: BulkWrite<Item>): Promise<number> {
    return isDryRun || items.length === 0 ? items.length : writeInBulk(store, items, task);
  }

  function count(
    className: string,
    kind: "created" | "updated" | "removed",
    writes: ClassChanges["examples"],
  ): void {
    if (writes.length === 0) return;
    const known = changed.get(className) ?? { created: 0, updated: 0, removed: 0, examples: [] };
    known[kind] += writes.length;
    known.examples.push(...writes.slice(0, MAX_EXAMPLES - known.examples.length));
    changed.set(className, known);
    written += writes.length;
    onWritten(written);
  }
}
