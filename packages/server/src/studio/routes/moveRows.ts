import {
  ErrorCode,
  type FieldType,
  isJsonObject,
  type JsonObject,
  ProtocolError,
  type StudioImportResult,
} from "@purse/protocol";
import { parseFields } from "../../objects/fields.ts";
import { fieldsOf } from "../../schema/describe.ts";
import { cellOf, objectOf, parseCsv, rowOf, sameCell, textCell } from "../csv.ts";
import { flagIn, invalid, optionalObjectIn, optionalTextIn, textIn } from "../parameters.ts";
import { json, type StreamReply, type StudioRequest, type StudioRoute } from "../route.ts";
import { lookingAs, type PipelineParts } from "./pipeline.ts";

/** Rows read at once for an export, and written side by side for an import. */
const PAGE = 500;
const TOGETHER = 50;
const MOST_ROWS = 100_000;

/** What an import does not set: the server does. */
const OWN = new Set(["objectId", "createdAt", "updatedAt", "__type", "className"]);

export interface MoveRowsParts extends Pick<PipelineParts, "objects" | "rules" | "schemas" | "asUser"> {
  classIn(request: StudioRequest): string;
}

/** Rows out as a file and in from one, through the pipeline. */
export function moveRowsRoutes({ objects, rules, schemas, asUser, classIn }: MoveRowsParts): StudioRoute[] {
  return [
    { method: "GET", path: "/data/:className/export", needs: "readOnly", handle: exportRows },
    { method: "POST", path: "/data/:className/import", needs: "editor", handle: importRows },
  ];

  /** All rows of a where, in the order of their ids; read page by page as the reader takes them. */
  async function exportRows(request: StudioRequest): Promise<StreamReply> {
    const { params } = request;
    const className = classIn(request);
    const format = optionalTextIn(params, "format") ?? "csv";
    if (format !== "csv" && format !== "json" && format !== "jsonl")
      throw invalid("format must be csv, json or jsonl");
    const context = await lookingAs({ asUser }, request);
    const where = optionalObjectIn(params, "where") ?? {};
    const keys = optionalTextIn(params, "keys", 10_000);
    const columns = keys?.split(",") ?? columnsOf(className);
    const type = format === "csv" ? "text/csv" : format === "json" ? "application/json" : "application/jsonl";
    /** Rows of a page: fewer from where they are so large that a page is more than one answer may be. */
    let limit = PAGE;
    // Read before the answer begins, so that a bad where is an error and no half file.
    const first = await page(undefined);
    return {
      stream: pieces(),
      contentType: `${type}; charset=utf-8`,
      fileName: `${className}.${format}`,
    };

    async function page(after: string | undefined): Promise<JsonObject[]> {
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
        return page(after);
      }
    }

    async function* pieces(): AsyncGenerator<string> {
      if (format === "csv") yield rowOf(columns.map(textCell));
      if (format === "json") yield "[";
      let rows = first;
      let isFirst = true;
      while (rows.length > 0) {
        yield format === "csv"
          ? rows.map((row) => rowOf(columns.map((column) => cellOf(row[column])))).join("")
          : format === "jsonl"
            ? rows.map((row) => `${JSON.stringify(row)}\n`).join("")
            : (isFirst ? "" : ",") + rows.map((row) => JSON.stringify(row)).join();
        isFirst = false;
        rows = rows.length < limit ? [] : await page(String(rows.at(-1)?.objectId));
      }
      if (format === "json") yield "]";
    }
  }

  /**
   * `mapping` says by column (or key) which field it goes to, null leaves it out. A dry run judges types, and writes nothing:
   * rules and triggers of a class may still refuse a row.
   */
  async function importRows(request: StudioRequest) {
    const { params } = request;
    const className = classIn(request);
    const format = textIn(params, "format");
    const text = textIn(params, "text", Number.MAX_SAFE_INTEGER);
    const mapping = optionalObjectIn(params, "mapping") ?? {};
    const keepsIds = flagIn(params, "keepIds");
    const isDry = flagIn(params, "dryRun");
    const rows =
      format === "csv"
        ? csvRows(text, mapping, className)
        : format === "json"
          ? jsonRows(text, mapping)
          : undefined;
    if (!rows) throw invalid("format must be csv or json");
    if (rows.length > MOST_ROWS) throw invalid(`at most ${MOST_ROWS} rows are imported at once`);
    request.note({ target: className, after: { format, rows: rows.length, isDry } });
    const context = { ...request.context, choosesIds: keepsIds };
    const failed: { line: string; reason: string }[] = [];
    let imported = 0;
    for (let i = 0; i < rows.length; i += TOGETHER) {
      await Promise.all(
        rows.slice(i, i + TOGETHER).map(async (row) => {
          const reason = "reason" in row ? row.reason : await reasonAgainst(row.object);
          if (reason === undefined) imported += 1;
          else failed.push({ line: row.source, reason });
        }),
      );
    }
    const header = format === "csv" ? `${text.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0]},_error\r\n` : "";
    const errorFile =
      header +
      failed
        .map(({ line, reason }) =>
          format === "csv"
            ? `${line},${textCell(reason)}\r\n`
            : `${JSON.stringify({ _error: reason, row: JSON.parse(line) })}\n`,
        )
        .join("");
    const result: StudioImportResult = {
      imported,
      failed: failed.length,
      errorFile: failed.length > 0 ? errorFile : "",
    };
    return json(result);

    async function reasonAgainst(object: JsonObject): Promise<string | undefined> {
      const fields = Object.fromEntries(
        Object.entries(object).filter(([name]) => !OWN.has(name) || (keepsIds && name === "objectId")),
      );
      try {
        if (isDry) {
          const { objectId: _, ...given } = fields;
          const derivedFields = rules.get(className)?.derivedFields;
          schemas.assertFit(className, parseFields(given, { derivedFields }));
        } else await objects.create(context, className, fields);
        return undefined;
      } catch (error) {
        if (error instanceof ProtocolError) return error.message;
        throw error;
      }
    }
  }

  function csvRows(text: string, mapping: JsonObject, className: string): Row[] {
    const [header, ...rows] = parsed(text);
    if (!header) throw invalid("the file is empty");
    const fields = fieldsOf(className, schemas.get(className)?.fields ?? {});
    const typeOf = (field: string): FieldType | undefined =>
      Object.hasOwn(fields, field) ? fields[field] : undefined;
    return rows.map((row) => {
      const source = row.map(sameCell).join(",");
      try {
        return { source, object: objectOf(header, row, mapping, typeOf) };
      } catch (error) {
        return { source, reason: error instanceof Error ? error.message : String(error) };
      }
    });
  }

  function columnsOf(className: string): string[] {
    const fields = fieldsOf(className, schemas.get(className)?.fields ?? {});
    return Object.keys(fields).filter((name) => fields[name]?.type !== "Relation" && name !== "password");
  }
}

type Row = { source: string } & ({ object: JsonObject } | { reason: string });

function parsed(text: string): string[][] {
  try {
    return parseCsv(text);
  } catch (error) {
    throw invalid(`The file is no CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A list, or one object on each line. */
function jsonRows(text: string, mapping: JsonObject): Row[] {
  let values: unknown[];
  try {
    const trimmed = text.trim();
    const list: unknown = trimmed.startsWith("[")
      ? JSON.parse(trimmed)
      : trimmed.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
    values = Array.isArray(list) ? list : [];
  } catch {
    throw invalid("The file is neither a JSON list nor JSON lines");
  }
  return values.map((value) => {
    const source = JSON.stringify(value);
    if (!isJsonObject(value)) return { source, reason: "it is no object" };
    const object: JsonObject = {};
    for (const [key, each] of Object.entries(value)) {
      const field = Object.hasOwn(mapping, key) ? mapping[key] : key;
      if (typeof field === "string" && field !== "") object[field] = each;
    }
    return { source, object };
  });
}
