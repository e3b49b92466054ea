import type { JsonObject } from "@purse/protocol";
import type { StudioBulkResult, StudioPage } from "@purse/server/studio-api";
import type { StudioApi } from "../../api.ts";

/** The affected rows: checked ones, or all that match the filters. */
export type Target = { ids: readonly string[] } | { where: JsonObject };

/** Called with the progress of an operation. */
export type Progress = (done: number, all: number) => void;

/** Rows per request; small, so that progress is visible and the operation can be stopped. */
const BATCH_SIZE = 200;
const PAGE = 1_000;

/** Counts the affected rows by a dry run. Throws StudioRequestError. */
export async function countMatching(studio: StudioApi, className: string, target: Target): Promise<number> {
  if ("ids" in target && target.ids.length === 0) return 0;
  const filter = "ids" in target ? { ids: [...target.ids] } : target;
  const input = { className, ...filter, action: "delete" as const, dryRun: true };
  return (await studio.post("/data/:className/bulk", input)).matched;
}

/**
 * Updates or deletes rows in batches. For a filter, the matching ids are loaded first; rows that no longer match when they
 * are reached are skipped. When `signal` is aborted, returns what was done so far.
 */
export async function runBulk(
  studio: StudioApi,
  className: string,
  change: { action: "delete" } | { action: "update"; fields: JsonObject },
  target: Target,
  progress: Progress,
  signal?: AbortSignal,
): Promise<StudioBulkResult> {
  const ids = "ids" in target ? target.ids : await listIds(studio, className, target.where);
  const result: StudioBulkResult = { matched: ids.length, changed: 0, failed: [] };
  progress(0, ids.length);
  for (let i = 0; i < ids.length && !signal?.aborted; i += BATCH_SIZE) {
    const batch = ids.slice(i, i + BATCH_SIZE);
    const input = { className, ...change, ...("where" in target && { where: target.where }), ids: batch };
    const { changed, failed } = await studio.post("/data/:className/bulk", input);
    result.changed += changed;
    result.failed.push(...failed);
    progress(Math.min(ids.length, i + BATCH_SIZE), ids.length);
  }
  return result;
}

async function listIds(studio: StudioApi, className: string, where: JsonObject): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const query = { className, where, keys: "objectId", order: "objectId", limit: PAGE };
    const page: StudioPage<JsonObject> = await studio.getRows("/data/:className", query, after);
    ids.push(...page.results.map(({ objectId }) => String(objectId)));
    after = page.next;
  }
  return ids;
}
