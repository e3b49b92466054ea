import {
  type Condition,
  hasPattern,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";

/** Converts a match to a condition for the database; undefined if only the aggregation worker can evaluate it. */
export function parseMatch(argument: JsonValue, schema: ClassSchema): Condition | undefined {
  try {
    return parseCondition(argument, schema);
  } catch (error) {
    if (error instanceof ProtocolError && !hasPattern(argument)) return undefined;
    throw error;
  }
}

/** Parses a condition of a pipeline, with the values in the forms that pipelines may have. */
export function parseCondition(where: JsonValue, schema: ClassSchema | undefined): Condition {
  return parseWhere(isJsonObject(where) ? toWireWhere(where, schema) : where);
}

/** Pipelines may contain dates as plain text and pointers as plain ids; converts them based on the schema. */
function toWireWhere(where: JsonObject, schema: ClassSchema | undefined): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(where)) {
    if (Array.isArray(value) && key.startsWith("$")) {
      result[key] = value.map((inner) => (isJsonObject(inner) ? toWireWhere(inner, schema) : inner));
      continue;
    }
    const name = key === "_id" ? "objectId" : key;
    const type = COLUMN_DATES.has(name) ? { type: "Date" as const } : schema?.fields[name];
    if (type?.type === "Date") result[name] = mapOperands(value, toWireDate);
    else if (type?.type === "Pointer") {
      const className = type.targetClass ?? "";
      result[name] = mapOperands(value, (operand) => {
        if (typeof operand !== "string") return operand;
        const prefix = `${className}$`;
        const objectId = operand.startsWith(prefix) ? operand.slice(prefix.length) : operand;
        return { __type: "Pointer", className, objectId };
      });
    } else result[name] = value;
  }
  return result;
}

const COLUMN_DATES: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

function mapOperands(value: JsonValue, map: (operand: JsonValue) => JsonValue): JsonValue {
  if (!isJsonObject(value) || !Object.keys(value).some((key) => key.startsWith("$"))) return map(value);
  return Object.fromEntries(
    Object.entries(value).map(([operator, operand]) => [
      operator,
      Array.isArray(operand) ? operand.map(map) : map(operand),
    ]),
  );
}

function toWireDate(operand: JsonValue): JsonValue {
  if (typeof operand !== "string" || Number.isNaN(Date.parse(operand))) return operand;
  return { __type: "Date", iso: new Date(operand).toISOString() };
}
