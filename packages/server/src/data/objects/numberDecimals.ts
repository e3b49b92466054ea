import type { JsonObject, JsonValue, Operation } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";

const SUFFIX = "_decimal";
/** Fields by which classes of on-chain events are recognized. */
const EVENT_FIELDS = ["block_number", "transaction_hash"];

/** Formats the approximate numbers of on-chain events as Moralis v1 did; undefined for classes without any. */
export type NumberDecimals = (className: string) => DecimalFormat | undefined;

interface DecimalFormat {
  /** Returns a copy whose `…_decimal` fields are NumberDecimals, with the exact integers where the object has them. */
  object(object: JsonObject): JsonObject;
  /** Returns the operations of a write with the values that `object` would have. */
  operations(
    operations: Readonly<Record<string, Operation>>,
    original: JsonObject,
  ): Record<string, Operation>;
}

/** Creates the formatter of a server, which does nothing unless it is enabled. */
export function createNumberDecimals(schemas: Pick<Schemas, "get">, isEnabled: boolean): NumberDecimals {
  const formats = new WeakMap<ClassSchema, DecimalFormat | null>();
  return (className) => {
    const schema = isEnabled ? schemas.get(className) : undefined;
    if (!schema) return undefined;
    const known = formats.get(schema);
    if (known !== undefined) return known ?? undefined;
    const fields = decimalFields(schema);
    const format = fields.length > 0 ? createFormat(fields) : undefined;
    formats.set(schema, format ?? null);
    return format;
  };
}

function createFormat(fields: readonly string[]): DecimalFormat {
  return {
    object(object) {
      const formatted = { ...object };
      for (const field of fields) {
        const value = object[field];
        if (typeof value === "number") formatted[field] = numberDecimal(value, object[integerField(field)]);
      }
      return formatted;
    },
    operations(operations, original) {
      const formatted = { ...operations };
      for (const field of fields) {
        const operation = operations[field];
        if (operation?.op !== "Set" || typeof operation.value !== "number") continue;
        const integer = operations[integerField(field)];
        const exact = integer?.op === "Set" ? integer.value : original[integerField(field)];
        formatted[field] = { op: "Set", value: numberDecimal(operation.value, exact) };
      }
      return formatted;
    },
  };
}

/** The fields of a class of events that accompany an integer. */
function decimalFields({ fields }: ClassSchema): string[] {
  if (!EVENT_FIELDS.every((field) => Object.hasOwn(fields, field))) return [];
  return Object.keys(fields).filter(
    (field) =>
      field.endsWith(SUFFIX) &&
      fields[field]?.type === "Number" &&
      fields[integerField(field)]?.type === "String",
  );
}

function integerField(field: string): string {
  return field.slice(0, -SUFFIX.length);
}

function numberDecimal(value: number, exact: JsonValue | undefined): JsonObject {
  const isExact = typeof exact === "string" && Number(exact) === value;
  return { __type: "NumberDecimal", value: { $numberDecimal: isExact ? exact : String(value) } };
}
