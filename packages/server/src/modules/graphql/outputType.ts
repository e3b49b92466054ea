import {
  ErrorCode,
  isJsonObject,
  isoTime,
  type JsonObject,
  type JsonValue,
  numberDecimalOf,
  ProtocolError,
} from "@purse/protocol";
import { defaultFieldResolver, GraphQLObjectType, GraphQLUnionType } from "graphql";
import { globalIdField } from "graphql-relay";
import type { ClassFields } from "./classFields.ts";
import type { GraphqlContext } from "./context.ts";
import { outputTypeOf } from "./fieldTypes.ts";
import { type FindArguments, findObjects, getObject } from "./readObjects.ts";
import { OBJECT } from "./scalars.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { Field, GraphqlClass, TypeRegistry } from "./typeRegistry.ts";
import { ELEMENT, OBJECT_FIELDS, PARSE_OBJECT } from "./valueTypes.ts";

/** Creates the type of the objects of a class. */
export function createOutputType(
  registry: TypeRegistry,
  { className, fields }: GraphqlClass,
  name: string,
  { output }: ClassFields,
): GraphQLObjectType {
  return new GraphQLObjectType<JsonObject, GraphqlContext>({
    name,
    description: `An object of the class ${name}.`,
    interfaces: registry.nodeInterface ? [PARSE_OBJECT, registry.nodeInterface] : [PARSE_OBJECT],
    fields: () => {
      const outputs: Record<string, Field> = {
        id: globalIdField(className, (source: JsonObject) => String(source.objectId)),
        ...OBJECT_FIELDS,
        ...(className === "_User" && {
          authDataResponse: { description: "What auth providers answered to the sign-in.", type: OBJECT },
        }),
      };
      for (const field of output) {
        const fieldType = fields[field];
        if (!fieldType) continue;
        outputs[field] = {
          description: `This is the object ${field}.`,
          // Objects from before a field was required lack it, and permissions may hide it.
          type: outputTypeOf(fieldType, registry),
          ...resolverOf(registry, className, field),
        };
      }
      return outputs;
    },
  });
}

function resolverOf(registry: TypeRegistry, className: string, field: string): Partial<Field> {
  const fieldType = registry.classes.get(className)?.fields[field];
  const targetClass = fieldType?.targetClass ?? "";
  switch (fieldType?.type) {
    case "Relation":
      if (!registry.classTypes.get(targetClass)?.connection) return STORED;
      return {
        args: registry.classTypes.get(targetClass)?.findArguments ?? {},
        resolve: (source: JsonObject, args: FindArguments, context, info) =>
          findObjects(context, targetClass, args, selectionOf(info), registry.fieldsOf, {
            object: { __type: "Pointer", className, objectId: String(source.objectId) },
            key: field,
          }),
      };
    case "Pointer":
      if (!registry.classTypes.get(targetClass)?.output) return STORED;
      return {
        resolve(source: JsonObject, _args, context, info) {
          const value = fieldValue(source, field);
          if (!isJsonObject(value) || value.__type !== "Pointer") return value;
          const selection = selectionOf(info);
          // Events of live queries have the pointers alone. Others have those whose object cannot be read.
          if (!context.subscribe || !needsObject(selection)) return keepsPromises(value, selection);
          return getObject(context, targetClass, String(value.objectId), selection, registry.fieldsOf).catch(
            (error: unknown) => {
              if (isNotFound(error)) return keepsPromises(value, selection);
              throw error;
            },
          );
        },
      };
    case "Number":
      // Events of live queries may have the format of Moralis v1.
      if (!field.endsWith("_decimal")) return STORED;
      return { resolve: (source: JsonObject) => numberDecimalOf(source[field]) ?? source[field] };
    case "Date":
      return {
        resolve: (source: JsonObject) => {
          const value = fieldValue(source, field);
          return isTime(value) ? value : null;
        },
      };
    case "File":
      return { resolve: (source: JsonObject) => fileOf(fieldValue(source, field)) };
    case "GeoPoint":
      return { resolve: (source: JsonObject) => pointOf(fieldValue(source, field)) };
    case "Polygon":
      return {
        resolve: (source: JsonObject) => {
          const polygon = source[field];
          const coordinates = isJsonObject(polygon) ? polygon.coordinates : undefined;
          if (!Array.isArray(coordinates)) return null;
          const points = coordinates.map((point) =>
            Array.isArray(point)
              ? pointOf({ latitude: point[0] ?? null, longitude: point[1] ?? null })
              : pointOf(point),
          );
          return points.includes(null) ? null : points;
        },
      };
    case "Array":
      return {
        resolve: (source: JsonObject) => {
          const list = source[field];
          if (!Array.isArray(list)) return null;
          return list.map((element) => {
            // The value of an element is never null.
            if (element === null) return null;
            return isObjectOfClass(element) ? element : { value: element };
          });
        },
      };
    default:
      return STORED;
  }
}

/** A field whose value is that of the object. */
const STORED: Partial<Field> = {
  resolve: (source: JsonObject, args, context, info) =>
    fieldValue(source, info.fieldName) === undefined
      ? undefined
      : defaultFieldResolver(source, args, context, info),
};

/** The value of a field; an object without a field `toString` has none, although it inherits a method of that name. */
function fieldValue(source: JsonObject, field: string): JsonValue | undefined {
  const value = source[field];
  return value === Reflect.get(Object.prototype, field) ? undefined : value;
}

/** Whether a value has what the types of all objects promise: others may be stored in the same form. */
function isObjectOfClass(value: JsonValue): boolean {
  return (
    isJsonObject(value) &&
    value.__type === "Object" &&
    "className" in value &&
    "objectId" in value &&
    PROMISED.every((field) => isTime(value[field]))
  );
}

/** The fields that no object is without. What has its id alone, such as the pointer to a deleted object, lacks them. */
const PROMISED = ["createdAt", "updatedAt"] as const;

/**
 * Returns an object of which perhaps only the id is known, or null if an operation selects what it cannot be without: the
 * field that has the object is null then, which is no error.
 */
export function keepsPromises(object: JsonObject, selection: Selection): JsonObject | null {
  const isKnown = PROMISED.every((field) => isTime(object[field]));
  // An object without an ACL is public; one that is not known may be anything.
  return isKnown || ![...PROMISED, "ACL"].some((field) => selection[field]) ? object : null;
}

function isTime(value: JsonValue | undefined): boolean {
  const text = isJsonObject(value) && value.__type === "Date" ? value.iso : value;
  return typeof text === "string" && isoTime(text) !== undefined;
}

function needsObject(selection: Selection): boolean {
  return Object.keys(selection).some((name) => name !== "id" && name !== "objectId");
}

function isNotFound(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND;
}

/** A file with the members that its type promises; null for any other value. */
function fileOf(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.url === "string"
    ? value
    : null;
}

/** The same for a point. */
function pointOf(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) && typeof value.latitude === "number" && typeof value.longitude === "number"
    ? value
    : null;
}

/** Creates the type of the elements of arrays: objects of classes, or other values. */
export function createArrayResult(registry: TypeRegistry): GraphQLUnionType {
  return new GraphQLUnionType({
    name: "ArrayResult",
    description:
      "Use Inline Fragment on Array to get results: https://graphql.org/learn/queries/#inline-fragments",
    types: () => [ELEMENT, ...[...registry.classTypes.values()].flatMap(({ output }) => output ?? [])],
    resolveType: (value: JsonObject) =>
      (isObjectOfClass(value) && registry.classTypes.get(String(value.className))?.output?.name) ||
      ELEMENT.name,
  });
}
