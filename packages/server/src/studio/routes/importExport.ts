import {
  type DelimitedTable,
  ErrorCode,
  type FieldType,
  isJsonObject,
  type JsonObject,
  ownValue,
  ProtocolError,
  parseTable,
  rowProblem,
} from "@purse/protocol";
import { parseFields } from "../../data/objects/parseFields.ts";
import { clientFields } from "../../data/schema/describe.ts";
import { dataEndpoints, type StudioImportResult } from "../../studioApi/data.ts";
import { invalidParameter } from "../../studioApi/parseInput.ts";
import { copyRow, rowToObject, textCell, toCell, toRow } from "../csv.ts";
import { type Requests, route, type StreamReply, type StudioRoute } from "../route.ts";
import type { ClassRequest } from "./liveRows.ts";
import { type RouteDependencies, viewContext } from "./routeContext.ts";

/** Number of rows per page of an export, and of concurrent writes of an import. */
const PAGE_SIZE = 500;
const CONCURRENT_WRITES = 50;
/** Rejected rows whose numbers and reasons are in the response, and problems of a file that an error names. */
const MAX_FAILED_ROWS = 100;
const MAX_ROWS = 100_000;

/** Fields that the server sets and imports skip. */
const SERVER_FIELDS = new Set(["objectId", "createdAt", "updatedAt", "__type", "className"]);

type DataRequests = Requests<typeof dataEndpoints>;

export interface ImportExportDependencies
  extends Pick<RouteDependencies, "objects" | "rules" | "schemas" | "asUser"> {
  requireClass(request: ClassRequest): string;
}

/** Routes for exporting and importing rows as files. */
export function importExportRoutes({
  objects,
  rules,
  schemas,
  asUser,
  requireClass,
}: ImportExportDependencies): StudioRoute[] {
  return [route(dataEndpoints.export, exportRows), route(dataEndpoints.import, importRows)];

  /** Exports all matching rows sorted by id, page by page as the client reads them. */
  async function exportRows(request: DataRequests["export"]): Promise<StreamReply> {
    const { format, where = {}, keys } = request.params;
    const className = requireClass(request);
    const context = await viewContext({ asUser }, request);
    const columns = keys?.split(",") ?? exportColumns(className);
    const fields = clientFields(className, schemas.get(className)?.fields ?? {});
    const toCells = (row: JsonObject) =>
      columns.map((column) => toCell(row[column], ownValue(fields, column)));
    const type = format === "csv" ? "text/csv" : format === "json" ? "application/json" : "application/jsonl";
    /** Rows per page; reduced if a page exceeds the maximum result size. */
    let limit = PAGE_SIZE;
    // The first page is read before the response starts, so that an invalid where is an error instead of a truncated
    // file.
    const first = await readPage(undefined);
    return {
      stream: chunks(),
      contentType: `${type}; charset=utf-8`,
      fileName: `${className}.${format}`,
    };

    async function readPage(after: string | undefined): Promise<JsonObject[]> {
      try {
        const text = await objects.find(context, className, {
          where: after === undefined ? where : { $and: [where, { objectId: { $gt: after } }] },
          order: "objectId",
          limit,
          ...(keys !== undefined && { keys }),
        });
        const { results }: { results: JsonObject[] } = JSON.parse(text);
        return results;
      } catch (error) {
        const isTooLarge = error instanceof ProtocolError && error.code === ErrorCode.OBJECT_TOO_LARGE;
        if (!isTooLarge || limit === 1) throw error;
        limit = Math.ceil(limit / 4);
        return readPage(after);
      }
    }

    async function* chunks(): AsyncGenerator<string> {
      if (format === "csv") yield toRow(columns.map(textCell));
      if (format === "json") yield "[";
      let rows = first;
      let isFirst = true;
      while (rows.length > 0) {
        yield format === "csv"
          ? rows.map((row) => toRow(toCells(row))).join("")
          : format === "jsonl"
            ? rows.map((row) => `${JSON.stringify(row)}\n`).join("")
            : (isFirst ? "" : ",") + rows.map((row) => JSON.stringify(row)).join();
        isFirst = false;
        rows = rows.length < limit ? [] : await readPage(String(rows.at(-1)?.objectId));
      }
      if (format === "json") yield "]";
    }
  }

  /**
   * Imports rows. `mapping` maps columns (or keys) to fields; null skips a column. A dry run only checks types; rules
   * and triggers of the class may still reject a row. Throws 400 for a file whose rows cannot be told apart for sure.
   */
  async function importRows(request: DataRequests["import"]): Promise<StudioImportResult> {
    const { format, text, mapping = {}, keepIds, dryRun: isDryRun } = request.params;
    const className = requireClass(request);
    const table = format === "csv" ? parseTable(text, request.params.delimiter) : undefined;
    const rows = table ? csvRows(table, request.params, className) : jsonRows(text, mapping);
    if (rows.length > MAX_ROWS) throw invalidParameter(`at most ${MAX_ROWS} rows can be imported at once`);
    request.setAuditDetails({ target: className, after: { format, rows: rows.length } });
    const failed: { at: number; line: string; reason: string }[] = [];
    let imported = 0;
    for (let i = 0; i < rows.length; i += CONCURRENT_WRITES) {
      await Promise.all(
        rows.slice(i, i + CONCURRENT_WRITES).map(async (row, n) => {
          const reason = "reason" in row ? row.reason : await importRow(row.object);
          if (reason === undefined) imported += 1;
          else failed.push({ at: i + n, line: row.source, reason });
        }),
      );
    }
    // Rows that are written concurrently do not fail in their order.
    failed.sort((a, b) => a.at - b.at);
    const header = table ? toRow([...table.columns.map(textCell), "_error"]) : "";
    const errorFile =
      header +
      failed
        .map(({ line, reason }) =>
          format === "csv"
            ? `${line},${textCell(reason)}\r\n`
            : `${JSON.stringify({ _error: reason, row: JSON.parse(line) })}\n`,
        )
        .join("");
    return {
      imported,
      failed: failed.length,
      failedRows: failed.slice(0, MAX_FAILED_ROWS).map(({ at }) => at + 1),
      reasons: failed.slice(0, MAX_FAILED_ROWS).map(({ reason }) => reason),
      errorFile: failed.length > 0 ? errorFile : "",
    };

    async function importRow(object: JsonObject): Promise<string | undefined> {
      const fields = Object.fromEntries(
        Object.entries(object).filter(
          ([name]) => !SERVER_FIELDS.has(name) || (keepIds && name === "objectId"),
        ),
      );
      try {
        if (isDryRun) {
          const { objectId: _, ...input } = fields;
          const derivedFields = rules.get(className)?.derivedFields;
          schemas.assertCompatible(className, parseFields(input, { derivedFields }));
        } else await objects.create(request.context, className, fields, { allowCustomId: keepIds });
        return undefined;
      } catch (error) {
        if (error instanceof ProtocolError) return error.message;
        throw error;
      }
    }
  }

  function csvRows(
    { columns, rows, problems }: DelimitedTable,
    { mapping = {}, decimal }: DataRequests["import"]["params"],
    className: string,
  ): Row[] {
    if (problems.length > 0) {
      const texts = problems.slice(0, MAX_FAILED_ROWS).map(({ line, reason }) => `line ${line}: ${reason}`);
      throw invalidParameter(`The file is not valid CSV: ${texts.join("; ")}`);
    }
    if (columns.length === 0) throw invalidParameter("the file is empty");
    const fields = clientFields(className, schemas.get(className)?.fields ?? {});
    const typeOf = (field: string): FieldType | undefined =>
      SERVER_FIELDS.has(field) ? undefined : ownValue(fields, field);
    return rows.map(({ cells }) => {
      const source = copyRow(cells);
      const reason = rowProblem(cells, columns);
      if (reason !== undefined) return { source, reason };
      try {
        return { source, object: rowToObject(columns, cells, mapping, typeOf, decimal) };
      } catch (error) {
        return { source, reason: error instanceof Error ? error.message : String(error) };
      }
    });
  }

  function exportColumns(className: string): string[] {
    const fields = clientFields(className, schemas.get(className)?.fields ?? {});
    return Object.keys(fields).filter((name) => fields[name]?.type !== "Relation" && name !== "password");
  }
}

type Row = { source: string } & ({ object: JsonObject } | { reason: string });

/** Parses a JSON list, or one object per line. */
function jsonRows(text: string, mapping: JsonObject): Row[] {
  let values: unknown[];
  try {
    const trimmed = text.trim();
    const list: unknown = trimmed.startsWith("[")
      ? JSON.parse(trimmed)
      : trimmed.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
    values = Array.isArray(list) ? list : [];
  } catch {
    throw invalidParameter("The file is neither a JSON list nor JSON lines");
  }
  return values.map((value) => {
    const source = JSON.stringify(value);
    if (!isJsonObject(value)) return { source, reason: "it is not an object" };
    const object: JsonObject = {};
    for (const [key, each] of Object.entries(value)) {
      const field = Object.hasOwn(mapping, key) ? mapping[key] : key;
      if (typeof field === "string" && field !== "") object[field] = each;
    }
    return { source, object };
  });
}
