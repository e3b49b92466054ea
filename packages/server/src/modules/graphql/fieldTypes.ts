import type { FieldType } from "@purse/protocol";
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableInputType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLString,
} from "graphql";
import { ANY, BYTES, DATE, OBJECT } from "./scalars.ts";
import type { TypeRegistry } from "./typeRegistry.ts";
import {
  ACL,
  ACL_INPUT,
  FILE_INFO,
  FILE_INPUT,
  GEO_POINT,
  GEO_POINT_INPUT,
  POLYGON,
  POLYGON_INPUT,
} from "./valueTypes.ts";
import { WHERE_INPUTS } from "./whereInputs.ts";

/** Types that are the same in input and output. */
const SCALARS: Partial<Record<FieldType["type"], GraphQLScalarType>> = {
  String: GraphQLString,
  Number: GraphQLFloat,
  Boolean: GraphQLBoolean,
  Date: DATE,
  Bytes: BYTES,
};

/** The type of a field in the input of a mutation. */
export function inputTypeOf(
  { type, targetClass = "" }: FieldType,
  registry: TypeRegistry,
): GraphQLNullableInputType {
  const scalar = SCALARS[type];
  if (scalar) return scalar;
  const target = registry.classTypes.get(targetClass);
  switch (type) {
    case "Array":
      return new GraphQLList(ANY);
    case "Pointer":
      return target?.pointerInput ?? OBJECT;
    case "Relation":
      return target?.relationInput ?? OBJECT;
    case "File":
      return FILE_INPUT;
    case "GeoPoint":
      return GEO_POINT_INPUT;
    case "Polygon":
      return POLYGON_INPUT;
    case "ACL":
      return ACL_INPUT;
    default:
      return OBJECT;
  }
}

/** The type of a field of an object. */
export function outputTypeOf(
  { type, targetClass = "" }: FieldType,
  registry: TypeRegistry,
): GraphQLOutputType {
  const scalar = SCALARS[type];
  if (scalar) return scalar;
  const target = registry.classTypes.get(targetClass);
  switch (type) {
    case "Array":
      return new GraphQLList(registry.arrayResult);
    case "Pointer":
      return target?.output ?? OBJECT;
    case "Relation":
      return target?.connection ? new GraphQLNonNull(target.connection) : OBJECT;
    case "File":
      return FILE_INFO;
    case "GeoPoint":
      return GEO_POINT;
    case "Polygon":
      return POLYGON;
    case "ACL":
      return ACL;
    default:
      return OBJECT;
  }
}

/** The type of the conditions on a field. */
export function whereTypeOf(
  field: string,
  { type, targetClass = "" }: FieldType,
  registry: TypeRegistry,
): GraphQLNullableInputType {
  if (field === "id" || field === "objectId") return WHERE_INPUTS.Id;
  if (type === "Pointer" || type === "Relation")
    return registry.classTypes.get(targetClass)?.relationWhere ?? OBJECT;
  if (type === "ACL") return WHERE_INPUTS.Object;
  return WHERE_INPUTS[type];
}
