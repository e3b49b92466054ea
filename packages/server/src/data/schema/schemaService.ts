import { ErrorCode, isClassName, isInternalClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { findRows, serverQuery } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { Objects } from "../objects/objects.ts";
import type { ClassDescriptions } from "./classDescriptions.ts";
import { assertNoFields, type ClassEdit, editClass, invalidClassName } from "./editClass.ts";
import type { Schemas } from "./schemas.ts";

export interface SchemaServiceDependencies {
  schemas: Schemas;
  store: Store;
  objects: Pick<Objects, "remove">;
  /** Whether classes can be changed only by configuration. */
  isLocked: boolean;
  descriptions: ClassDescriptions;
  /** Which keys of permissions name users; ids of any objects if undefined. */
  isUserId: ((text: string) => boolean) | undefined;
  /** Fields that a system class must keep. */
  fixedFields(className: string): readonly string[];
}

/** How many objects of a system class are removed per page. */
const PURGE_PAGE_SIZE = 500;

/** Reads and changes the schemas of classes. Its callers verify that the client has the master key. */
export class SchemaService {
  readonly #dependencies: SchemaServiceDependencies;

  constructor(dependencies: SchemaServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the stored schemas in Parse's format, not those that this process has cached. */
  async list(): Promise<JsonObject[]> {
    const { schemas, descriptions } = this.#dependencies;
    await schemas.refresh();
    const described = schemas
      .all()
      .filter(({ className }) => !isInternalClassName(className))
      .map(async (schema) =>
        (await descriptions.isListed(schema)) ? [await descriptions.describe(schema)] : [],
      );
    return (await Promise.all(described)).flat();
  }

  /** Throws 103 if the class does not exist. */
  async get(className: string): Promise<JsonObject> {
    await this.#dependencies.schemas.refresh(className);
    const schema = this.#require(className);
    if (await this.#dependencies.descriptions.isListed(schema)) return this.#describe(schema);
    throw doesNotExist(className);
  }

  /** Creates a class. Throws 103 for an invalid or taken name. */
  async create(className: string, edit: JsonObject): Promise<JsonObject> {
    this.assertChangeable();
    const known = this.#dependencies.schemas.get(className);
    if (known && !(await this.#dependencies.descriptions.isListed(known))) {
      assertNoFields(edit.fields, this.#dependencies.fixedFields(className));
      return this.update(className, edit);
    }
    if (!isClassName(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    return this.#describe(
      await this.#dependencies.schemas.create(className, (empty) => this.#applyEdit(empty, edit)),
    );
  }

  /**
   * Adds, changes and deletes fields, permissions and indexes. Throws 103 if the class does not exist. The description
   * has indexes if the edit has some, even if none is left but that of the ids.
   */
  async update(className: string, edit: JsonObject): Promise<JsonObject> {
    this.assertChangeable();
    this.#require(className);
    const changed = await this.#dependencies.schemas.change(className, (schema) =>
      this.#applyEdit(schema, edit),
    );
    const description = await this.#describe(changed);
    return edit.indexes === undefined ? description : { indexes: { _id_: { _id: 1 } }, ...description };
  }

  /** Deletes an empty class; does nothing if it does not exist. Throws 255 if it contains objects. */
  async remove(className: string): Promise<void> {
    this.assertChangeable();
    if (!isClassName(className) || OWN_CLASSES.has(className)) {
      throw new ProtocolError(ErrorCode.INVALID_CLASS_NAME, invalidClassName(className));
    }
    const { schemas, store } = this.#dependencies;
    const schema = schemas.get(className);
    if (!schema) return;
    const count = await store.count(serverQuery(schema));
    if (count > 0) {
      throw new ProtocolError(
        ErrorCode.INVALID_SCHEMA_OPERATION,
        `Class ${className} is not empty, contains ${count} objects, cannot drop schema.`,
      );
    }
    await schemas.drop(className);
  }

  /** Deletes all objects of a class. */
  async purge(className: string, request: RequestContext): Promise<void> {
    const { schemas, store, objects } = this.#dependencies;
    const schema = schemas.get(className);
    if (!schema) return;
    if (!className.startsWith("_")) {
      await store.purge(schema);
      return;
    }
    // Deletes system objects one by one, so that their names, sessions and addresses are deleted, too.
    for (;;) {
      const rows = await findRows(store, schema, { limit: PURGE_PAGE_SIZE });
      if (rows.length === 0) return;
      await Promise.all(rows.map(({ objectId }) => objects.remove(request, className, String(objectId))));
    }
  }

  /** Throws 119 if classes can be changed only by configuration. */
  assertChangeable(): void {
    if (!this.#dependencies.isLocked) return;
    throw operationForbidden("Cannot perform this operation when schemas options is used.");
  }

  #describe(schema: ClassSchema): Promise<JsonObject> {
    return this.#dependencies.descriptions.describe(schema);
  }

  #applyEdit(
    schema: ClassSchema,
    { fields, classLevelPermissions, access, indexes }: JsonObject,
  ): ClassSchema {
    const edit: ClassEdit = { fields, classLevelPermissions, access, indexes };
    const { fixedFields, isUserId } = this.#dependencies;
    return editClass(schema, edit, fixedFields(schema.className), isUserId);
  }

  #require(className: string): ClassSchema {
    const schema = this.#dependencies.schemas.get(className);
    if (schema) return schema;
    throw doesNotExist(className);
  }
}

function doesNotExist(className: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_CLASS_NAME, `Class ${className} does not exist.`);
}

/** Classes that the server cannot work without. */
const OWN_CLASSES: ReadonlySet<string> = new Set([
  "_GlobalConfig",
  "_GraphQLConfig",
  "_Hooks",
  "_ApiKey",
  "_Passkey",
  "_ChainWatch",
  "_ChainMessage",
  "_ChainStream",
  "_ChainStreamAddress",
  "_ChainStreamDelivery",
  "_ChainStreamReplay",
]);
