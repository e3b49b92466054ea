import type { Store } from "../store/store.ts";
import { type Aggregates, createAggregates } from "./aggregate.ts";
import { createObjectReader } from "./objectReader.ts";
import { createPresentation, type PresentationParts } from "./presentation.ts";
import { createReads, type ReadParts, type Reads } from "./read.ts";
import { createReadAccess } from "./readAccess.ts";
import { createWrites, type WriteParts, type Writes } from "./write.ts";

export type { Change, ChangeListener } from "./change.ts";
export type { Draft } from "./draft.ts";
export type { ClassRules } from "./rules.ts";
export type { Triggers } from "./triggers.ts";

export type ObjectParts = { store: Store } & PresentationParts &
  Omit<ReadParts, "access" | "reader" | "presentation"> &
  Omit<WriteParts, "access" | "presentation">;

/** The one pipeline: every door reads and writes objects by it. Reads of all kinds have one authorization. */
export function createObjects(parts: ObjectParts): Reads & Writes & { aggregates: Aggregates } {
  const access = createReadAccess(parts);
  const presentation = createPresentation(parts, access);
  const reader = createObjectReader(parts.store, access, parts.schemas);
  return {
    ...createReads({ ...parts, access, presentation, reader }),
    ...createWrites({ ...parts, access, presentation }),
    aggregates: createAggregates({ access, reader }),
  };
}
