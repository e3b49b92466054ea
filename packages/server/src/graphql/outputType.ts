import { isJsonObject, type JsonObject, type JsonValue, numberDecimalOf } from "@purse/protocol";
import { defaultFieldResolver, GraphQLNonNull, GraphQLObjectType, GraphQLUnionType } from "graphql";
import { globalIdField } from "graphql-relay";
import type { ClassFields } from "./classFields.ts";
import type { GraphqlContext } from "./context.ts";
import { outputTypeOf } from "./fieldTypes.ts";
import { type FindArguments, findObjects, getObject } from "./readObjects.ts";
import { OBJECT } from "./scalars.ts";
import { selectionOf } from "./selection.ts";
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
        const type = outputTypeOf(fieldType, registry);
        const isRequired = fieldType.required === true && !(type instanceof GraphQLNonNull);
        outputs[field] = {
          description: `This is the object ${field}.`,
          type: isRequired ? new GraphQLNonNull(type) : type,
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
        // Events of live queries have the pointers alone.
        resolve: (source: JsonObject, _args, context, info) => {
          const value = fieldValue(source, field);
          if (!context.subscribe || !isJsonObject(value) || value.__type !== "Pointer") return value;
          const selection = selectionOf(info);
          if (Object.keys(selection).every((each) => each === "id" || each === "objectId")) return value;
          return getObject(context, targetClass, String(value.objectId), selection, registry.fieldsOf);
        },
      };
    case "Number":
      // Events of live queries may have the format of Moralis v1.
      if (!field.endsWith("_decimal")) return STORED;
      return { resolve: (source: JsonObject) => numberDecimalOf(source[field]) ?? source[field] };
    case "Polygon":
      return {
        resolve: (source: JsonObject) => {
          const polygon = source[field];
          const coordinates = isJsonObject(polygon) ? polygon.coordinates : undefined;
          if (!Array.isArray(coordinates)) return null;
          return coordinates.map((point) =>
            Array.isArray(point) ? { latitude: point[0], longitude: point[1] } : point,
          );
        },
      };
    case "Array":
      return {
        resolve: (source: JsonObject) => {
          const list = source[field];
          if (!Array.isArray(list)) return null;
          return list.map((element) => (isObjectOfClass(element) ? element : { value: element }));
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

function isObjectOfClass(value: JsonValue): boolean {
  return isJsonObject(value) && value.__type === "Object" && "className" in value && "objectId" in value;
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
