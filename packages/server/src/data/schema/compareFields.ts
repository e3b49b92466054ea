import {
  ErrorCode,
  type FieldType,
  fieldTypeOf,
  type Operation,
  ownValue,
  ProtocolError,
} from "@purse/protocol";
import { type ClassSchema, COMMON_FIELDS } from "../../database/classSchema.ts";
import { typeText } from "./editClass.ts";

/** The type of a field into which a path leads. */
const NESTED: FieldType = { type: "Object" };

interface FieldComparison {
  /** The fields that the operations require and the schema lacks. */
  missing: Record<string, FieldType>;
  /** 111 if a field has another type than an operation requires, or there would be two GeoPoints. */
  mismatch?: ProtocolError;
}

/** Returns the fields that the operations require and the schema lacks. Throws 111 on a type mismatch. */
export function missingFields(
  schema: ClassSchema,
  operations: Record<string, Operation>,
): Record<string, FieldType> {
  const { missing, mismatch } = compareFields(schema, operations);
  if (mismatch) throw mismatch;
  return missing;
}

export function compareFields(schema: ClassSchema, operations: Record<string, Operation>): FieldComparison {
  const missing: Record<string, FieldType> = {};
  let mismatch: ProtocolError | undefined;
  for (const path in operations) {
    const operation = operations[path];
    const dot = path.indexOf(".");
    const name = dot < 0 ? path : path.slice(0, dot);
    if (!operation || Object.hasOwn(COMMON_FIELDS, name)) continue;
    const known = ownValue(schema.fields, name);
    const type = dot < 0 ? typeFor(operation) : NESTED;
    // Nothing is deleted of a field that does not exist.
    if (!type || (!known && operation.op === "Delete")) continue;
    if (!known) missing[name] = type;
    else if (dot >= 0 ? known.type !== "Object" && known.type !== "Array" : !sameType(known, type)) {
      mismatch ??= new ProtocolError(
        ErrorCode.INCORRECT_TYPE,
        `schema mismatch for ${schema.className}.${name}; expected ${typeText(known)} but got ${typeText(type)}`,
      );
    }
  }
  const added = countGeoPoints(missing);
  if (added > 0 && added + countGeoPoints(schema.fields) > 1) {
    mismatch ??= new ProtocolError(
      ErrorCode.INCORRECT_TYPE,
      "there can only be one geopoint field in a class",
    );
  }
  return mismatch ? { missing, mismatch } : { missing };
}

function countGeoPoints(fields: Readonly<Record<string, FieldType>>): number {
  let count = 0;
  for (const name in fields) if (fields[name]?.type === "GeoPoint") count++;
  return count;
}

function typeFor(operation: Operation): FieldType | undefined {
  switch (operation.op) {
    case "Set":
      return fieldTypeOf(operation.value);
    case "Delete":
      return undefined;
    case "Increment":
      return { type: "Number" };
    case "Add":
    case "AddUnique":
    case "Remove":
    case "Batch":
      return { type: "Array" };
    case "Relation": {
      const target = (operation.add[0] ?? operation.remove[0])?.className;
      return target === undefined ? undefined : { type: "Relation", targetClass: target };
    }
  }
}

function sameType(known: FieldType, type: FieldType): boolean {
  return (
    known.type === type.type && (known.targetClass === undefined || known.targetClass === type.targetClass)
  );
}
