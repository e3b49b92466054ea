import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { CLP } from "./object/CLP.ts";
import { encode } from "./object/encode.ts";
import { storedClassName } from "./object/registry.ts";
import { pathOf } from "./pathOf.ts";
import { requestObject } from "./transport.ts";

const FIELD_TYPES = [
  "String",
  "Number",
  "Boolean",
  "Bytes",
  "Date",
  "File",
  "GeoPoint",
  "Polygon",
  "Array",
  "Object",
  "Pointer",
  "Relation",
] as const;
/** A field's type by its name on the server. */
export type FieldType = (typeof FIELD_TYPES)[number];

/** Options of a field. */
export interface FieldOptions {
  /** Whether saves without the field are rejected. */
  required?: boolean;
  /** The value of the field in objects that are created without it. */
  defaultValue?: unknown;
  /** The target class of a Pointer or Relation. */
  targetClass?: string;
}

const asMaster = { useMasterKey: true };

/** The fields, indexes and permissions of one class. All calls need the master key. */
export class Schema {
  readonly className: string;
  #fields: JsonObject = {};
  #indexes: JsonObject = {};
  #permissions: JsonObject | undefined;

  constructor(className: string) {
    this.className = typeof className === "string" ? storedClassName(className) : "";
  }

  /** The schemas of all classes. */
  static async all(): Promise<JsonObject[]> {
    const { results } = await requestObject("GET", "schemas/", {}, asMaster);
    if (Array.isArray(results) && results.length > 0) return results.filter(isJsonObject);
    throw new Error("Schema not found.");
  }

  assertClassName(): void {
    if (!this.className) throw new Error("You must set a Class Name before making any request.");
  }

  async get(): Promise<JsonObject> {
    this.assertClassName();
    return requestObject("GET", pathOf("schemas", this.className), {}, asMaster);
  }

  /** Creates the class. Throws 103 if it exists. */
  async save(): Promise<JsonObject> {
    this.assertClassName();
    return requestObject("POST", pathOf("schemas", this.className), this.#changes(), asMaster);
  }

  /** Updates the class; if the server rejects it, the pending changes are kept for the next call. */
  async update(): Promise<JsonObject> {
    this.assertClassName();
    const response = await requestObject("PUT", pathOf("schemas", this.className), this.#changes(), asMaster);
    this.#fields = {};
    this.#indexes = {};
    return response;
  }

  /** Deletes the class, which must be empty. */
  async delete(): Promise<JsonObject> {
    this.assertClassName();
    return requestObject("DELETE", pathOf("schemas", this.className), {}, asMaster);
  }

  /** Deletes all objects of the class. */
  async purge(): Promise<JsonObject> {
    this.assertClassName();
    return requestObject("DELETE", pathOf("purge", this.className), {}, asMaster);
  }

  #changes(): JsonObject {
    const { className } = this;
    const changes: JsonObject = { className, fields: this.#fields, indexes: this.#indexes };
    if (this.#permissions) changes.classLevelPermissions = this.#permissions;
    return changes;
  }

  setCLP(permissions: CLP | JsonObject): this {
    const json = encode(permissions);
    this.#permissions = isJsonObject(json) ? json : undefined;
    return this;
  }

  /** Throws for an unknown type. */
  addField(name: string, type: FieldType = "String", options: FieldOptions = {}): this {
    assertName(name, "field");
    if (!FIELD_TYPES.includes(type)) throw new Error(`${type} is not a valid type.`);
    if (type === "Pointer") return this.addPointer(name, options.targetClass ?? "", options);
    if (type === "Relation") return this.addRelation(name, options.targetClass ?? "");
    this.#fields[name] = { type, ...fieldOptions(type, options) };
    return this;
  }

  addString(name: string, options?: FieldOptions): this {
    return this.addField(name, "String", options);
  }

  addNumber(name: string, options?: FieldOptions): this {
    return this.addField(name, "Number", options);
  }

  addBoolean(name: string, options?: FieldOptions): this {
    return this.addField(name, "Boolean", options);
  }

  /** The default value is base64. */
  addBytes(name: string, options?: FieldOptions): this {
    return this.addField(name, "Bytes", options);
  }

  addDate(name: string, options?: FieldOptions): this {
    return this.addField(name, "Date", options);
  }

  addFile(name: string, options?: FieldOptions): this {
    return this.addField(name, "File", options);
  }

  addGeoPoint(name: string, options?: FieldOptions): this {
    return this.addField(name, "GeoPoint", options);
  }

  addPolygon(name: string, options?: FieldOptions): this {
    return this.addField(name, "Polygon", options);
  }

  addArray(name: string, options?: FieldOptions): this {
    return this.addField(name, "Array", options);
  }

  addObject(name: string, options?: FieldOptions): this {
    return this.addField(name, "Object", options);
  }

  addPointer(name: string, targetClass: string, options: FieldOptions = {}): this {
    assertName(name, "field");
    if (!targetClass) throw new Error("You need to set the targetClass of the Pointer.");
    this.#fields[name] = { type: "Pointer", targetClass, ...fieldOptions("Pointer", options) };
    return this;
  }

  addRelation(name: string, targetClass: string): this {
    assertName(name, "field");
    if (!targetClass) throw new Error("You need to set the targetClass of the Relation.");
    this.#fields[name] = { type: "Relation", targetClass };
    return this;
  }

  /** An index of fields: `{ name: 1 }`. */
  addIndex(name: string, index: JsonObject): this {
    assertName(name, "index");
    if (!index) throw new Error("index may not be null.");
    this.#indexes[name] = index;
    return this;
  }

  deleteField(name: string): this {
    this.#fields[name] = { __op: "Delete" };
    return this;
  }

  deleteIndex(name: string): this {
    this.#indexes[name] = { __op: "Delete" };
    return this;
  }
}

function assertName(name: string, what: "field" | "index"): void {
  if (!name) throw new Error(`${what} name may not be null.`);
}

function fieldOptions(type: FieldType, { required, defaultValue }: FieldOptions): JsonObject {
  const options: JsonObject = {};
  if (typeof required === "boolean") options.required = required;
  if (defaultValue !== undefined) options.defaultValue = defaultOf(type, defaultValue);
  return options;
}

function defaultOf(type: FieldType, value: unknown): JsonValue {
  if (type === "Date" && (typeof value === "string" || typeof value === "number"))
    return encode(new Date(value));
  if (type === "Bytes" && typeof value === "string") return { __type: "Bytes", base64: value };
  return encode(value);
}
