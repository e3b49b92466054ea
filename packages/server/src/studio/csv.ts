import {
  type Cell,
  escapeFormula,
  type FieldType,
  formatCells,
  isFormula,
  isJsonObject,
  isoTime,
  isPointer,
  type JsonObject,
  type JsonValue,
  quoteCell,
  tryParseJson,
  unescapeFormula,
  wireDate,
} from "@purse/protocol";

/** Stands for null, without quotes. A missing value is an empty cell, and an empty text an empty cell in quotes. */
const NULL = "\\N";
/** Significant digits that every number keeps. */
const MAX_DIGITS = 17;

export type DecimalSeparator = "." | ",";

/** Formats the value of a field as a cell; structured values become JSON. `parseCell` reverses it. */
export function toCell(value: JsonValue | undefined, type?: FieldType): string {
  if (value === undefined) return "";
  if (value === null) return NULL;
  if (typeof value === "string") return value === "" || value === NULL ? `"${value}"` : textCell(value);
  if (typeof value !== "object") return String(value);
  if (isJsonObject(value) && value.__type === "Date" && typeof value.iso === "string")
    return textCell(value.iso);
  if (isPointer(value) && (type === undefined || value.className === type.targetClass))
    return textCell(value.objectId);
  return quoteCell(JSON.stringify(value));
}

export function toRow(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

/** Escapes a text for a cell so that no spreadsheet evaluates it; `parseCell` reverses it. */
export function textCell(text: string): string {
  return quoteCell(escapeFormula(text));
}

/** Returns the cells of a row of a file unchanged, unless a spreadsheet would evaluate them. */
export function copyRow(cells: readonly Cell[]): string {
  return formatCells(
    cells.map(({ text, isQuoted }) => ({ text: isFormula(text) ? escapeFormula(text) : text, isQuoted })),
  );
}

/**
 * Parses a cell as the value of a field; undefined if it has none. Throws Error for a text that is not exactly a value of
 * the type.
 */
export function parseCell(
  { text, isQuoted }: Cell,
  type: FieldType | undefined,
  decimal: DecimalSeparator = ".",
): JsonValue | undefined {
  if (text === NULL && !isQuoted) return null;
  if (type === undefined || type.type === "String") {
    return text === "" && !isQuoted ? undefined : unescapeFormula(text);
  }
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (type.type) {
    case "Number":
      return parseNumber(trimmed, decimal);
    case "Boolean":
      if (/^(true|1|yes)$/i.test(trimmed)) return true;
      if (/^(false|0|no)$/i.test(trimmed)) return false;
      throw invalidCell(text, "is neither true nor false");
    case "Date":
      return parseDate(trimmed);
    case "Pointer":
      return trimmed.startsWith("{") ? parseJsonCell(trimmed) : pointerTo(unescapeFormula(trimmed), type);
    default:
      return parseJsonCell(trimmed);
  }
}

function parseNumber(text: string, decimal: DecimalSeparator): number {
  const other = decimal === "." ? "," : ".";
  if (text.includes(other) && /\d/.test(text)) {
    throw invalidCell(
      text,
      `is not a number: the decimal separator is ${decimal === "." ? "a point" : "a comma"}`,
    );
  }
  const plain = text.replace(",", ".");
  const [, whole, fraction] = /^[+-]?(\d*)(?:\.(\d*))?(?:e[+-]?\d+)?$/i.exec(plain) ?? [];
  const digits = `${whole ?? ""}${fraction ?? ""}`;
  const number = Number(plain);
  if (digits === "" || !Number.isFinite(number)) throw invalidCell(text, "is not a number");
  const isExact =
    fraction === undefined && /^[+-]?\d+$/.test(plain)
      ? isExactInteger(BigInt(plain.replace("+", "")), number)
      : digits.replace(/^0+|0+$/g, "").length <= MAX_DIGITS;
  if (!isExact)
    throw invalidCell(text, "has more digits than a number keeps: use a field of the type String");
  return number;
}

/** Whether a number is an integer, or is written with its digits. */
function isExactInteger(integer: bigint, number: number): boolean {
  return integer === BigInt(number) || (Math.abs(number) < 1e21 && integer === BigInt(String(number)));
}

/** Dates without a zone are in UTC, as in exports. */
function parseDate(text: string): JsonValue {
  const time = isoTime(text);
  if (time !== undefined) return wireDate(new Date(time));
  const reason = /^\d{4}-\d\d-\d\d/.test(text)
    ? "is a date that does not exist"
    : /^\d{1,2}\D\d{1,2}\D\d{2,4}/.test(text)
      ? "is ambiguous, since day and month can stand in either order"
      : "is not a date";
  throw invalidCell(text, `${reason}: write dates as 2024-03-31 or 2024-03-31T18:30Z`);
}

function pointerTo(objectId: string, { targetClass }: FieldType): JsonValue {
  if (targetClass !== undefined && targetClass !== "*")
    return { __type: "Pointer", className: targetClass, objectId };
  throw invalidCell(
    objectId,
    'does not say of which class the object is: write {"__type":"Pointer","className":"…","objectId":"…"}',
  );
}

function parseJsonCell(text: string): JsonValue {
  const value = tryParseJson(text);
  if (value === undefined) throw invalidCell(text, "is not valid JSON");
  return value;
}

function invalidCell(text: string, reason: string): Error {
  return new Error(`"${text.slice(0, 50)}" ${reason}`);
}

/** Converts a row to the fields of an object. `mapping` maps columns to fields; null skips a column. */
export function rowToObject(
  columns: readonly string[],
  cells: readonly Cell[],
  mapping: JsonObject,
  typeOf: (field: string) => FieldType | undefined,
  decimal: DecimalSeparator,
): JsonObject {
  const object: JsonObject = {};
  columns.forEach((column, i) => {
    const field = Object.hasOwn(mapping, column) ? mapping[column] : column;
    const cell = cells[i];
    if (typeof field !== "string" || field === "" || !cell) return;
    try {
      const value = parseCell(cell, typeOf(field), decimal);
      if (value !== undefined) object[field] = value;
    } catch (error) {
      throw new Error(`${column}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return object;
}
