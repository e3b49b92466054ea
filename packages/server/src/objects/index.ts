import { createReads, type ReadParts, type Reads } from "./read.ts";
import { createWrites, type WriteParts, type Writes } from "./write.ts";

export type { Change, ChangeListener } from "./change.ts";
export type { Draft } from "./draft.ts";
export type { ClassRules } from "./rules.ts";
export type { Triggers } from "./triggers.ts";

/** The one pipeline: every door reads and writes objects by it. */
export function createObjects(parts: ReadParts & WriteParts): Reads & Writes {
  return { ...createReads(parts), ...createWrites(parts) };
}
