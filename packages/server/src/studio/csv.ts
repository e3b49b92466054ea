import {
  escapeFormula,
  type FieldType,
  isFormula,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  quoteCell,
  sameLineEnds,
  tryParseJson,
  unescapeFormula,
  wireDate,
} from "@purse/protocol";
import Papa from "papaparse";

/** Formats a value as a cell; structured values become JSON. */
export function toCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return textCell(value);
  if (typeof value !== "object") return String(value);
  if (isJsonObject(value) && value.__type === "Date" && typeof value.iso === "string")
    return textCell(value.iso);
  if (isJsonObject(value) && value.__type === "Pointer") return textCell(String(value.objectId));
  return quoteCell(JSON.stringify(value));
}

export function toRow(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

/** Escapes a text for a cell so that no spreadsheet evaluates it; `parseCell` reverses it. */
export function textCell(text: string): string {
  return quoteCell(escapeFormula(text));
}

/** Returns a cell of a file unchanged, unless a spreadsheet would evaluate it. */
export function copyCell(text: string): string {
  return quoteCell(isFormula(text) ? escapeFormula(text) : text);
}

/** Parses CSV (RFC 4180) with an optional byte order mark. Throws Error for an unclosed quote. */
export function parseCsv(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(sameLineEnds(text), { delimiter: ",", skipEmptyLines: true });
  if (errors.some(({ code }) => code === "MissingQuotes")) throw new Error("a quoted cell is not closed");
  return data;
}

/** Parses a cell as the value of a field; undefined for an empty cell. Throws Error if it is invalid. */
export function parseCell(cell: string, type: FieldType | undefined): JsonValue | undefined {
  if (cell === "") return undefined;
  switch (type?.type) {
    case undefined:
    case "String":
      return unescapeFormula(cell);
    case "Number": {
      const number = Number(cell);
      if (!Number.isFinite(number)) throw new Error(`"${cell.slice(0, 50)}" is not a number`);
      return number;
    }
    case "Boolean":
      if (/^(true|1|yes)$/i.test(cell)) return true;
      if (/^(false|0|no)$/i.test(cell)) return false;
      throw new Error(`"${cell.slice(0, 50)}" is neither true nor false`);
    case "Date": {
      const time = Date.parse(cell);
      if (Number.isNaN(time)) throw new Error(`"${cell.slice(0, 50)}" is not a date`);
      return wireDate(new Date(time));
    }
    case "Pointer":
      if (!cell.startsWith("{")) {
        return { __type: "Pointer", className: type.targetClass ?? "", objectId: unescapeFormula(cell) };
      }
      return parseJsonCell(cell);
    default:
      return parseJsonCell(cell);
  }
}

function parseJsonCell(cell: string): JsonValue {
  const value = tryParseJson(cell);
  if (value === undefined) throw new Error(`"${cell.slice(0, 50)}" is not valid JSON`);
  return value;
}

/** Converts a row to the fields of an object. `mapping` maps columns to fields; null skips a column. */
export function rowToObject(
  header: readonly string[],
  row: readonly string[],
  mapping: JsonObject,
  typeOf: (field: string) => FieldType | undefined,
): JsonObject {
  const object: JsonObject = {};
  header.forEach((column, i) => {
    const field = Object.hasOwn(mapping, column) ? mapping[column] : column;
    if (typeof field !== "string" || field === "") return;
    const value = parseCell(row[i] ?? "", typeOf(field));
    if (value !== undefined) object[field] = value;
  });
  return object;
}
