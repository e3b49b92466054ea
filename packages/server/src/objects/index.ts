import type { Store } from "../store/store.ts";
import { type Aggregates, createAggregates } from "./aggregate.ts";
import { createRememberedFields } from "./changedFields.ts";
import { createObjectReader } from "./objectReader.ts";
import type { Pipelines } from "./pipeline.ts";
import { createPresentation, type PresentationDependencies } from "./presentation.ts";
import { createReads, type ReadParts, type Reads } from "./read.ts";
import { createReadAccess } from "./readAccess.ts";
import { createWrites, type WriteParts, type Writes } from "./write.ts";

export type { Change, ChangeListener } from "./change.ts";
export type { Draft } from "./draft.ts";
export type { ClassRules } from "./rules.ts";
export type { Triggers } from "./triggers.ts";

export type ObjectsDependencies = { store: Store; pipelines: Pipelines } & PresentationDependencies &
  Omit<ReadParts, "access" | "reader" | "presentation"> &
  Omit<WriteParts, "access" | "presentation">;

/** Creates the pipeline that every API reads and writes objects through. All reads share one authorization. */
export function createObjects(parts: ObjectsDependencies): Reads &
  Writes & {
    aggregates: Aggregates;
    rememberedFields: ReturnType<typeof createRememberedFields>;
  } {
  const access = createReadAccess(parts);
  const presentation = createPresentation(parts, access);
  const reader = createObjectReader(parts.store, access, parts.schemas);
  return {
    ...createReads({ ...parts, access, presentation, reader }),
    ...createWrites({ ...parts, access, presentation }),
    rememberedFields: createRememberedFields({ ...parts, access, presentation }),
    aggregates: createAggregates({ access, reader, pipelines: parts.pipelines }),
  };
}
