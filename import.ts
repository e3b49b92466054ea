import { stat } from "node:fs/promises";
import { Checkpoint } from "./checkpoint.ts";
import { type ImportOptions, Intake, reasonOf } from "./intake.ts";
import { linesOf } from "./lines.ts";
import { type MovingRecord, parseRecord } from "./records.ts";

/** Steps written at once. */
export const BATCH = 500;

export interface ImportCounts {
  lines: number;
  /** Where the last import of the file had come to. */
  resumedAfter: number;
  bad: number;
  conflicts: number;
}

/**
 * Takes an export in. What is there already is put as the file says; an import that was cut off goes on
 * where its last batch ended (`{file}.checkpoint`).
 */
export async function importFile(file: string, options: ImportOptions): Promise<ImportCounts> {
  const { size, mtimeMs } = await stat(file);
  const checkpoint = await Checkpoint.open(`${file}.checkpoint`, `${size} ${mtimeMs}`, options.store);
  const resumedAfter = checkpoint.resumedAfter?.count ?? 0;
  const counts: ImportCounts = { lines: 0, resumedAfter, bad: 0, conflicts: 0 };
  const intake = new Intake(options);
  for await (const text of linesOf(file)) {
    counts.lines += 1;
    // Without its header it is no export, and nothing of it can be trusted to be read right.
    if (counts.lines === 1) readHeader(text);
    if (counts.lines <= Math.max(1, resumedAfter) || text.trim() === "") continue;
    try {
      await intake.add(readRecord(text));
    } catch (error) {
      const reason = reasonOf(error);
      if (!options.onBad) {
        // What came before the line stays, as it does when an import is cut off.
        await intake.write();
        throw new Error(`Line ${counts.lines}: ${reason}`);
      }
      counts.bad += 1;
      options.onBad(counts.lines, text, reason);
    }
    if (intake.size >= BATCH) {
      await intake.write();
      await checkpoint.save({ file: "", count: counts.lines });
      options.progress.report("lines", counts.lines);
    }
  }
  if (counts.lines === 0) throw new Error(`${file} is empty`);
  await intake.write();
  await checkpoint.finish();
  return { ...counts, conflicts: intake.conflicts };
}

function readHeader(text: string): void {
  try {
    if (parseRecord(text).kind === "header") return;
  } catch (error) {
    throw new Error(`Line 1: ${reasonOf(error)}`);
  }
  throw new Error("Line 1: it must be the header of an export");
}

function readRecord(text: string): MovingRecord {
  const record = parseRecord(text);
  if (record.kind === "header") throw new Error("a header stands in the first line only");
  return record;
}
