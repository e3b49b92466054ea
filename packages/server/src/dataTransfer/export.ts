import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { isStudioClass, isStudioScope } from "../data/schema/studioClasses.ts";
import { SCAN_START, type Store } from "../database/store.ts";
import { EXPORT_VERSION, type ExportRecord } from "./exportRecords.ts";
import type { Progress } from "./progress.ts";

/** Number of rows per page. */
const PAGE_SIZE = 1_000;

export interface ExportCounts {
  classes: number;
  objects: number;
  relations: number;
  uniqueValues: number;
}

/**
 * Exports the whole database to a file of JSON lines, page by page to limit memory use. The file gets its final name
 * only when it is complete.
 */
export async function exportStore(store: Store, file: string, progress: Progress): Promise<ExportCounts> {
  const temporaryFile = `${file}.unfinished`;
  const stream = createWriteStream(temporaryFile, { mode: 0o600 });
  const writeRecord = async (record: ExportRecord): Promise<void> => {
    if (!stream.write(`${JSON.stringify(record)}\n`)) await once(stream, "drain");
  };
  const counts: ExportCounts = { classes: 0, objects: 0, relations: 0, uniqueValues: 0 };
  await writeRecord({ kind: "header", version: EXPORT_VERSION, exportedAt: new Date().toISOString() });
  // Operator accounts belong to this server and are not exported.
  const schemas = (await store.loadClasses()).filter(({ className }) => !isStudioClass(className));
  for (const schema of schemas) {
    await writeRecord({ kind: "class", schema });
    counts.classes += 1;
  }
  for (const schema of schemas) {
    let after = SCAN_START;
    for (;;) {
      const rows = await store.scan(schema, after, PAGE_SIZE);
      for (const { position, text, secret } of rows) {
        const hasSecret = Object.keys(secret).length > 0;
        const object = JSON.parse(text);
        await writeRecord({
          kind: "object",
          className: schema.className,
          object,
          ...(hasSecret && { secret }),
        });
        after = position;
      }
      counts.objects += rows.length;
      progress.report(schema.className, counts.objects);
      if (rows.length === 0) break;
    }
  }
  counts.relations = await exportRelations(store, writeRecord, progress);
  counts.uniqueValues = await exportUniqueValues(store, writeRecord, progress);
  stream.end();
  await once(stream, "finish");
  await rename(temporaryFile, file);
  return counts;
}

async function exportRelations(
  store: Store,
  writeRecord: (record: ExportRecord) => Promise<void>,
  progress: Progress,
): Promise<number> {
  let count = 0;
  let after: [string, string, string, string] = ["", "", "", ""];
  for (;;) {
    const rows = await store.scanRelations(after, PAGE_SIZE);
    for (const [className, key, owner, related] of rows) {
      await writeRecord({ kind: "relation", className, key, owner, related: [related] });
    }
    count += rows.length;
    progress.report("relations", count);
    after = rows.at(-1) ?? after;
    if (rows.length < PAGE_SIZE) return count;
  }
}

async function exportUniqueValues(
  store: Store,
  writeRecord: (record: ExportRecord) => Promise<void>,
  progress: Progress,
): Promise<number> {
  let count = 0;
  let after: [string, string] = ["", ""];
  for (;;) {
    const rows = await store.scanUniqueValues(after, PAGE_SIZE);
    for (const { scope, value, owner, expiresAt } of rows) {
      after = [scope, value];
      if (isStudioScope(scope)) continue;
      await writeRecord({
        kind: "claim",
        scope,
        value,
        owner,
        ...(expiresAt !== undefined && { expiresAt }),
      });
      count += 1;
    }
    progress.report("claims", count);
    if (rows.length < PAGE_SIZE) return count;
  }
}
