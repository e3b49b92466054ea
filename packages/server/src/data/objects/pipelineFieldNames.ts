import { isJsonObject, type JsonValue, renameFields } from "@purse/protocol";

/** Renames `_id` and MongoDB's internal columns, as older clients and pipelines use them. */
export function toServerFieldNames(stage: string, argument: JsonValue): JsonValue {
  if (stage !== "$lookup" || !isJsonObject(argument))
    return renameFields(expandPointerTexts(argument), toServerFieldName);
  const toName = (field: JsonValue | undefined) =>
    typeof field === "string" ? toServerFieldName(field) : null;
  const { localField, foreignField } = argument;
  return { ...argument, localField: toName(localField), foreignField: toName(foreignField) };
}

/** Operators on texts. A pointer operand becomes the text that MongoDB stores: `Class$id`. */
const TEXT_OPERATORS: ReadonlySet<string> = new Set(
  "$concat $indexOfBytes $indexOfCP $split $strLenBytes $strLenCP $substr $substrBytes $substrCP".split(" "),
);

/** Replaces `$_p_author` in text expressions with the `Class$id` of the pointer in `author`, as in MongoDB. */
function expandPointerTexts(value: JsonValue, isText = false): JsonValue {
  if (typeof value === "string" && isText && value.startsWith("$_p_")) {
    const field = value.slice("$_p_".length);
    return { $concat: [`$${field}.className`, { $literal: "$" }, `$${field}.objectId`] };
  }
  if (Array.isArray(value)) return value.map((item) => expandPointerTexts(item, isText));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const texts = expandPointerTexts(inner, TEXT_OPERATORS.has(key));
      if (DATE_OPERATORS.has(key))
        return ["$cond", [{ $eq: [dateOperand(texts), null] }, null, { [key]: texts }]];
      return SUBSTRING_OPERATORS.has(key) ? ["$substrBytes", clampSubstring(texts)] : [key, texts];
    }),
  );
}

/** Operators on dates. Of missing values they are null, as in MongoDB. */
const DATE_OPERATORS: ReadonlySet<string> = new Set(
  (
    "$dayOfMonth $dayOfWeek $dayOfYear $hour $isoDayOfWeek $isoWeek $isoWeekYear $millisecond $minute $month " +
    "$second $week $year"
  ).split(" "),
);

/** Returns the date of a date operator, which takes it directly, in a list or beside a time zone. */
function dateOperand(operand: JsonValue): JsonValue {
  const isWithZone = isJsonObject(operand) && operand.date !== undefined;
  const date = isWithZone ? operand.date : Array.isArray(operand) ? operand[0] : operand;
  return { $ifNull: [date ?? null, null] };
}

const SUBSTRING_OPERATORS: ReadonlySet<string> = new Set(["$substr", "$substrBytes"]);

/**
 * Supports substring operands that MongoDB accepts and the aggregation library does not: non-text values, ends beyond
 * the text, -1 for the remainder.
 */
function clampSubstring(operands: JsonValue): JsonValue {
  if (!Array.isArray(operands) || operands.length !== 3) return operands;
  const [value = null, start = null, length = null] = operands;
  const text = { $ifNull: [{ $toString: value }, ""] };
  const end = { $strLenBytes: text };
  const from = { $min: [start, end] };
  const rest = { $subtract: [end, from] };
  return [text, from, { $cond: [{ $lt: [length, 0] }, rest, { $min: [length, rest] }] }];
}

function toServerFieldName(field: string): string {
  const [head = "", ...rest] = field.split(".");
  const name = SERVER_FIELD_NAMES.get(head) ?? (head.startsWith("_p_") ? head.slice(3) : head);
  return [name, ...rest].join(".");
}

const SERVER_FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["objectId", "_id"],
  ["_created_at", "createdAt"],
  ["_updated_at", "updatedAt"],
]);
