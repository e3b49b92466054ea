import { isClassName } from "@purse/protocol";
import { ACCESS_PRESETS, type AccessPreset } from "../config/accessPresets.ts";
import type { ClassRules } from "../data/objects/classRules.ts";

export interface ModuleClassDefinition extends Pick<ClassRules, "fields" | "indexes"> {
  className: string;
  /** Who may read and write its objects: one of the words of `access` in `schemas`. By default only the module. */
  access?: AccessPreset;
}

/** Defines a class of a module. Throws Error for an invalid name. */
export function moduleClass({
  className,
  access = "closed",
  ...definition
}: ModuleClassDefinition): ClassRules {
  if (!isClassName(className) || className.startsWith("_"))
    throw new Error(
      `"${className}" cannot be the class of a module: names have letters, digits and _, and begin with a letter`,
    );
  return { ...definition, className, clientAccess: true, classLevelPermissions: ACCESS_PRESETS[access] };
}
