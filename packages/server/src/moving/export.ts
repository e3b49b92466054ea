import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import type { Store } from "../store/store.ts";
import { isStudioClaim, isStudioClass } from "../studio/studioClasses.ts";
import type { Progress } from "./progress.ts";
import { type MovingRecord, VERSION } from "./records.ts";

/** Rows read at once. */
const PAGE = 1_000;

export interface ExportCounts {
  classes: number;
  objects: number;
  relations: number;
  claims: number;
}

/**
 * Writes everything in a store to a file, as JSON lines; pages keep the memory small. The file has its
 * name only when it is whole.
 */
export async function exportStore(store: Store, file: string, progress: Progress): Promise<ExportCounts> {
  const unfinished = `${file}.unfinished`;
  const stream = createWriteStream(unfinished, { mode: 0o600 });
  const put = async (record: MovingRecord): Promise<void> => {
    if (!stream.write(`${JSON.stringify(record)}\n`)) await once(stream, "drain");
  };
  const counts: ExportCounts = { classes: 0, objects: 0, relations: 0, claims: 0 };
  await put({ kind: "header", version: VERSION, exportedAt: new Date().toISOString() });
  // Who operates a server belongs to the server, not to what moves to another.
  const schemas = (await store.loadClasses()).filter(({ className }) => !isStudioClass(className));
  for (const schema of schemas) {
    await put({ kind: "class", schema });
    counts.classes += 1;
  }
  for (const schema of schemas) {
    let after = 0;
    for (;;) {
      const rows = await store.scan(schema, after, PAGE);
      for (const { seq, text, secret } of rows) {
        const hasSecret = Object.keys(secret).length > 0;
        const object = JSON.parse(text);
        await put({ kind: "object", className: schema.className, object, ...(hasSecret && { secret }) });
        after = seq;
      }
      counts.objects += rows.length;
      progress.report(schema.className, counts.objects);
      if (rows.length === 0) break;
    }
  }
  counts.relations = await exportRelations(store, put, progress);
  counts.claims = await exportClaims(store, put, progress);
  stream.end();
  await once(stream, "finish");
  await rename(unfinished, file);
  return counts;
}

async function exportRelations(
  store: Store,
  put: (record: MovingRecord) => Promise<void>,
  progress: Progress,
): Promise<number> {
  let count = 0;
  let after: [string, string, string, string] = ["", "", "", ""];
  for (;;) {
    const rows = await store.scanRelations(after, PAGE);
    for (const [className, key, owner, related] of rows) {
      await put({ kind: "relation", className, key, owner, related: [related] });
    }
    count += rows.length;
    progress.report("relations", count);
    after = rows.at(-1) ?? after;
    if (rows.length < PAGE) return count;
  }
}

async function exportClaims(
  store: Store,
  put: (record: MovingRecord) => Promise<void>,
  progress: Progress,
): Promise<number> {
  let count = 0;
  let after: [string, string] = ["", ""];
  for (;;) {
    const rows = await store.scanClaims(after, PAGE);
    for (const { scope, value, owner, expiresAt } of rows) {
      after = [scope, value];
      if (isStudioClaim(scope)) continue;
      await put({ kind: "claim", scope, value, owner, ...(expiresAt !== undefined && { expiresAt }) });
      count += 1;
    }
    progress.report("claims", count);
    if (rows.length < PAGE) return count;
  }
}
