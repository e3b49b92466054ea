import type { ClassRules } from "../../data/objects/classRules.ts";
import { writtenOnlyThrough } from "../../data/objects/classRules.ts";

/** The class of the migrations that have run. */
export const MIGRATION_CLASS = "_Migration";

export const migrationRules: ClassRules = {
  className: MIGRATION_CLASS,
  fields: {
    name: { type: "String" },
    hash: { type: "String" },
    durationMs: { type: "Number" },
    changes: { type: "Object" },
  },
  ...writtenOnlyThrough("migrations"),
};
