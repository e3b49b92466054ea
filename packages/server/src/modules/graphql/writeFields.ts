import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { execute, type GraphqlContext, UploadedFile } from "./context.ts";
import { objectIdOf } from "./globalId.ts";
import type { TypeRegistry } from "./typeRegistry.ts";

/** The fields of an input, which may contain files. */
export type InputFields = Record<string, unknown>;

const REMOVAL = { __op: "Delete" };

/** Objects inside of objects that one mutation creates, at most. */
const MAX_NESTED = 100;

/**
 * Translates the fields of a create or update mutation into those of the Parse protocol. Stores new files and creates
 * new linked objects, with the permissions of the request.
 */
export class FieldWriter {
  readonly #context: GraphqlContext;
  readonly #registry: TypeRegistry;
  #nested = 0;

  constructor(registry: TypeRegistry, context: GraphqlContext) {
    this.#registry = registry;
    this.#context = context;
  }

  async toFields(className: string, input: InputFields): Promise<JsonObject> {
    const types = this.#registry.fieldsOf(className) ?? {};
    const fields = await Promise.all(
      Object.entries(input).map(async ([name, value]): Promise<[string, JsonValue]> => {
        const type = types[name];
        if (name === "ACL") return [name, value === null ? REMOVAL : toAcl(objectOf(value))];
        if (value === null) return [name, REMOVAL];
        switch (type?.type) {
          case "GeoPoint":
            return [name, { ...objectOf(value), __type: "GeoPoint" }];
          case "Polygon":
            return [name, { __type: "Polygon", coordinates: listOf(value).map(toCoordinates) }];
          case "File":
            return [name, await this.#toFile(value)];
          case "Pointer":
            return [name, await this.#toPointer(type.targetClass ?? "", name, value)];
          case "Relation":
            return [name, await this.#toRelation(type.targetClass ?? "", name, value)];
          default:
            return [name, jsonOf(value)];
        }
      }),
    );
    return Object.fromEntries(fields);
  }

  async #toFile(value: unknown): Promise<JsonObject> {
    const { file, upload } = recordOf(value);
    if (upload instanceof UploadedFile) {
      const saved = await this.#context.operations.saveFile(this.#context.requestContext, upload);
      return { __type: "File", name: saved.name, url: saved.url };
    }
    if (isJsonObject(file) && typeof file.name === "string") {
      return { __type: "File", name: file.name, ...(file.url !== undefined && { url: file.url }) };
    }
    throw new ProtocolError(ErrorCode.FILE_SAVE_ERROR, "Invalid file upload.");
  }

  async #toPointer(className: string, field: string, value: unknown): Promise<JsonObject> {
    const { link, createAndLink, ...others } = recordOf(value);
    const given = [link, createAndLink].filter((each) => each !== undefined && each !== null);
    if (given.length !== 1 || Object.keys(others).length > 0) {
      throw new ProtocolError(
        ErrorCode.INVALID_POINTER,
        `You need to provide link OR createLink on the pointer mutation of field ${field}`,
      );
    }
    if (typeof link === "string") return pointerTo(className, link);
    return this.#create(className, recordOf(createAndLink));
  }

  async #toRelation(className: string, field: string, value: unknown): Promise<JsonObject> {
    const { add, remove, createAndAdd } = recordOf(value);
    if (!add && !remove && !createAndAdd) {
      throw new ProtocolError(
        ErrorCode.INVALID_POINTER,
        `You need to provide at least one operation on the relation mutation of field ${field}`,
      );
    }
    const created = await Promise.all(
      listOf(createAndAdd ?? []).map((each) => this.#create(className, recordOf(each))),
    );
    const added = [...listOf(add ?? []).map((id) => pointerTo(className, String(id))), ...created];
    const removed = listOf(remove ?? []).map((id) => pointerTo(className, String(id)));
    const ops = [
      ...(added.length > 0 ? [{ __op: "AddRelation", objects: added }] : []),
      ...(removed.length > 0 ? [{ __op: "RemoveRelation", objects: removed }] : []),
    ];
    return { __op: "Batch", ops };
  }

  async #create(className: string, input: InputFields): Promise<JsonObject> {
    this.#nested += 1;
    if (this.#nested > MAX_NESTED) {
      throw new ProtocolError(
        ErrorCode.INVALID_JSON,
        `a mutation creates ${MAX_NESTED} linked objects at most`,
      );
    }
    const fields = await this.toFields(className, input);
    const { objectId } = await execute(this.#context, "POST", `/classes/${className}`, fields);
    return pointerTo(className, String(objectId));
  }
}

function pointerTo(className: string, id: string): JsonObject {
  return { __type: "Pointer", className, objectId: objectIdOf(className, id) };
}

function toCoordinates(point: unknown): JsonValue {
  const { latitude = null, longitude = null } = objectOf(point);
  return [latitude, longitude];
}

/** Translates the list form of an ACL. */
function toAcl(input: JsonObject): JsonObject {
  const acl: JsonObject = {};
  const rightsOf = ({ read, write }: JsonObject): JsonObject => ({
    ...(read === true && { read }),
    ...(write === true && { write }),
  });
  const everybody = input.public;
  if (isJsonObject(everybody)) acl["*"] = rightsOf(everybody);
  for (const user of listOf(input.users ?? []).map(objectOf))
    acl[objectIdOf("_User", String(user.userId))] = rightsOf(user);
  for (const role of listOf(input.roles ?? []).map(objectOf)) acl[`role:${role.roleName}`] = rightsOf(role);
  return acl;
}

function invalid(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "The fields are not valid.");
}

function recordOf(value: unknown): InputFields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid();
  return { ...value };
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw invalid();
  return value;
}

function objectOf(value: unknown): JsonObject {
  const json = jsonOf(value);
  if (!isJsonObject(json)) throw invalid();
  return json;
}

/** Inputs consist of JSON, besides files, which have been taken out before. */
function jsonOf(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}
