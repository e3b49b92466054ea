import { type ClassRules, writtenOnlyThrough } from "../data/objects/classRules.ts";
import { SYSTEM_CLASS_FIELDS } from "../data/schema/systemClasses.ts";

/** Rules of the class of Parse Config, which require the master key. */
export const globalConfigRules: readonly ClassRules[] = [
  { ...SYSTEM_CLASS_FIELDS._GlobalConfig, ...writtenOnlyThrough("/config") },
];
