import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Store } from "../store/store.ts";
import { IMPORT_SCOPE } from "./checkpoint.ts";
import { REBUILT_SCOPES } from "./claims.ts";
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
 * name only when it is whole, and is for its owner's eyes: it holds password hashes.
 */
export async function exportStore(store: Store, file: string, progress: Progress): Promise<ExportCounts> {
  const unfinished = `${file}.unfinished`;
  // One that is left from before may have other rights.
  await rm(unfinished, { force: true });
  const counts: ExportCounts = { classes: 0, objects: 0, relations: 0, claims: 0 };
  try {
    await pipeline(
      Readable.from(linesFrom(store, counts, progress)),
      createWriteStream(unfinished, { mode: 0o600, flush: true }),
    );
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return counts;
}

async function* linesFrom(store: Store, counts: ExportCounts, progress: Progress): AsyncGenerator<string> {
  const pages = recordPages(store, counts, progress);
  for await (const page of pages) yield page.map((record) => `${JSON.stringify(record)}\n`).join("");
}

async function* recordPages(
  store: Store,
  counts: ExportCounts,
  progress: Progress,
): AsyncGenerator<MovingRecord[]> {
  yield [{ kind: "header", version: VERSION, exportedAt: new Date().toISOString() }];
  const schemas = await store.loadClasses();
  yield schemas.map((schema) => ({ kind: "class", schema }));
  counts.classes = schemas.length;
  for (const schema of schemas) {
    let [after, ofClass] = [0, 0];
    for (;;) {
      const rows = await store.scan(schema, after, PAGE);
      yield rows.map(({ text, secret }) => {
        const hasSecret = Object.keys(secret).length > 0;
        const object = JSON.parse(text);
        return { kind: "object", className: schema.className, object, ...(hasSecret && { secret }) };
      });
      counts.objects += rows.length;
      ofClass += rows.length;
      progress.report(schema.className, ofClass);
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < PAGE) break;
    }
  }
  yield* relationPages(store, counts, progress);
  yield* claimPages(store, counts, progress);
}

async function* relationPages(
  store: Store,
  counts: ExportCounts,
  progress: Progress,
): AsyncGenerator<MovingRecord[]> {
  let after: [string, string, string, string] = ["", "", "", ""];
  for (;;) {
    const rows = await store.scanRelations(after, PAGE);
    yield rows.map(([className, key, owner, related]) => ({
      kind: "relation",
      className,
      key,
      owner,
      related: [related],
    }));
    counts.relations += rows.length;
    progress.report("relations", counts.relations);
    after = rows.at(-1) ?? after;
    if (rows.length < PAGE) return;
  }
}

/** Those of names, addresses and wallets are left out: they are made anew from the objects. */
async function* claimPages(
  store: Store,
  counts: ExportCounts,
  progress: Progress,
): AsyncGenerator<MovingRecord[]> {
  let after: [string, string] = ["", ""];
  for (;;) {
    const rows = await store.scanClaims(after, PAGE);
    const kept = rows.filter(({ scope }) => !REBUILT_SCOPES.has(scope) && scope !== IMPORT_SCOPE);
    yield kept.map(({ scope, value, owner, expiresAt }) => ({
      kind: "claim",
      scope,
      value,
      owner,
      ...(expiresAt !== undefined && { expiresAt }),
    }));
    counts.claims += kept.length;
    progress.report("claims", counts.claims);
    const last = rows.at(-1);
    if (last) after = [last.scope, last.value];
    if (rows.length < PAGE) return;
  }
}
