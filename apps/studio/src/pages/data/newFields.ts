import {
  type Cell,
  isClassName,
  isFieldName,
  isJsonObject,
  isoTime,
  type JsonValue,
  ownValue,
} from "@purse/protocol";
import type { CsvFormat, ImportFile } from "./importFile.ts";

/** A field that does not exist yet, for a column of a file. */
export interface NewField {
  name: string;
  type: "String" | "Number" | "Boolean" | "Date" | "Array" | "Object" | "GeoPoint";
}

/** Fields of every class, which the server sets or which have a type of their own. */
const RESERVED = ["objectId", "createdAt", "updatedAt", "ACL"];
/** Maximum number of significant digits of a number that is not rounded. */
const MAX_DIGITS = 17;
/** Rows that decide the type of a column. */
const MAX_SAMPLES = 1_000;

/**
 * Suggests a field for each column of a file that has none: its name, and a type that fits its values. Numbers that
 * would be rounded, such as amounts in wei, stay texts.
 */
export function suggestNewFields(
  file: ImportFile,
  existing: readonly string[],
): Readonly<Record<string, NewField>> {
  const taken = new Set([...RESERVED, ...existing].map((name) => name.toLowerCase()));
  const fields: Record<string, NewField> = {};
  for (const [i, column] of file.columns.entries()) {
    const name = toFieldName(column) ?? (/\p{L}/u.test(column) ? `column${i + 1}` : undefined);
    if (name === undefined || taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    fields[column] = { name, type: typeOf(file, column, i) };
  }
  return fields;
}

/** The name of a class for a file; empty if the name of the file has no letter. */
export function toClassName(file: string): string {
  const words = file.replace(/\.\w+$/, "").match(/[A-Za-z0-9_]+/g) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return isClassName(name) && !name.startsWith("_") ? name.slice(0, 128) : "";
}

/** `Unit price` becomes `unitPrice`, and `Größe` `grosse`; undefined if that cannot name a field. */
function toFieldName(column: string): string | undefined {
  const plain = column.replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "");
  const [first = "", ...others] = plain.match(/[A-Za-z0-9_]+/g) ?? [];
  const start =
    first === first.toUpperCase() ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  const name = [start, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
  const valid = /^[0-9_]/.test(name) ? `field${name}` : name;
  return isFieldName(valid) ? valid : undefined;
}

/** The type that fits all values of a column. */
function typeOf(file: ImportFile, column: string, index: number): NewField["type"] {
  const found =
    file.format === "csv"
      ? file.rows.slice(0, MAX_SAMPLES).flatMap((row) => typeOfCell(row[index], file.decimal) ?? [])
      : file.rows.slice(0, MAX_SAMPLES).flatMap((row) => {
          const value = isJsonObject(row) ? ownValue(row, column) : undefined;
          return value === undefined || value === null || value === "" ? [] : [typeOfValue(value)];
        });
  const types = new Set(found);
  const [only] = types;
  return types.size === 1 && only !== undefined ? only : "String";
}

function typeOfValue(value: JsonValue): NewField["type"] {
  if (typeof value === "number") return "Number";
  if (typeof value === "boolean") return "Boolean";
  if (Array.isArray(value)) return "Array";
  if (isJsonObject(value)) {
    if (value.__type === "Date" || value.__type === "GeoPoint") return value.__type;
    return "Object";
  }
  // The server does not convert the texts of JSON.
  return "String";
}

/** Undefined for a cell without a value. */
function typeOfCell(cell: Cell | undefined, decimal: CsvFormat["decimal"]): NewField["type"] | undefined {
  const text = cell?.text.trim() ?? "";
  if (text === "" || (text === "\\N" && !cell?.isQuoted)) return undefined;
  if (
    isExactNumber(decimal === "," ? text.replace(",", ".") : text) &&
    !text.includes(decimal === "," ? "." : ",")
  )
    return "Number";
  if (/^(true|false)$/i.test(text)) return "Boolean";
  return isoTime(text) === undefined ? "String" : "Date";
}

/** Whether a text is a number that keeps its digits as a Number. */
function isExactNumber(text: string): boolean {
  // More likely a code, such as that of a part: programs write exponents with a sign or after a fraction.
  if (/^\d+e\d+$/i.test(text)) return false;
  const [, mantissa, exponent] = /^-?((?:0|[1-9]\d*)(?:\.\d+)?)(e[+-]?\d+)?$/i.exec(text) ?? [];
  if (mantissa === undefined || !Number.isFinite(Number(text))) return false;
  if (exponent === undefined && !mantissa.includes(".")) return Number.isSafeInteger(Number(text));
  return mantissa.replace(".", "").replace(/^0+/, "").length <= MAX_DIGITS;
}
