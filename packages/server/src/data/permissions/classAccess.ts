import type { Config } from "../../config/loadConfig.ts";
import type { ClassLevelPermissions, ClassSchema } from "../../database/classSchema.ts";
import { UniqueConstraintError, type Write } from "../../database/store.ts";
import { CLOSED_PERMISSIONS } from "./defaultPermissions.ts";

/** What applies to classes whose permissions nobody has set: only operators have access, or everyone. */
export type DefaultAccess = "closed" | "open";

/** The unique value whose owner is the default access of a database. */
const NEW_CLASSES = { scope: "_SCHEMA.access", value: "new" } as const;

/** The settings that the default access depends on. */
export type AccessSettings = Pick<Config, "classAccess" | "environment" | "compatibility">;

/**
 * The one decision whether classes are closed until they are opened. The setting takes precedence; otherwise they are in
 * production, unless the server is compatible with Parse Server or the database had classes before there was a setting.
 */
export function defaultAccess(
  { classAccess, environment, compatibility }: AccessSettings,
  recorded: DefaultAccess,
): DefaultAccess {
  if (classAccess !== undefined) return classAccess;
  return environment === "production" && compatibility !== "parse" ? recorded : "open";
}

/** Whether a class is one of the application, and not of the server. */
export function isApplicationClass({ className }: Pick<ClassSchema, "className">): boolean {
  return !className.startsWith("_");
}

/** The permissions of a class for which none were set. */
export function unsetPermissions(className: string, access: DefaultAccess): ClassLevelPermissions {
  return access === "closed" && isApplicationClass({ className }) ? { ...CLOSED_PERMISSIONS } : {};
}

/** Whether nobody has set permissions of a class, so that everyone has access to it. */
export function hasUnsetPermissions({ classLevelPermissions }: ClassSchema): boolean {
  return Object.keys(classLevelPermissions).length === 0;
}

/** Whether a unique value is the recorded default access. */
export function isDefaultAccess({ scope, value }: { scope: string; value: string }): boolean {
  return scope === NEW_CLASSES.scope && value === NEW_CLASSES.value;
}

/** The writes that record the default access of a database, instead of what was recorded before. */
export function defaultAccessWrites(access: DefaultAccess): Write[] {
  return [
    { kind: "releaseUnique", ...NEW_CLASSES },
    { kind: "reserveUnique", ...NEW_CLASSES, owner: access },
  ];
}

/** The parts of the store that the record needs. */
export interface AccessRecordStore {
  getUniqueOwner(scope: string, value: string): Promise<string | undefined>;
  write(writes: Write[]): Promise<unknown>;
}

/**
 * Returns the recorded default access. The first server that opens a database records it: classes of a database without
 * classes are closed, of one with classes from before they stay open.
 */
export async function recordedAccess(
  store: AccessRecordStore,
  classes: readonly ClassSchema[],
): Promise<DefaultAccess> {
  const recorded = await store.getUniqueOwner(NEW_CLASSES.scope, NEW_CLASSES.value);
  if (recorded !== undefined) return accessOf(recorded);
  const access = classes.some(isApplicationClass) ? "open" : "closed";
  try {
    await store.write([{ kind: "reserveUnique", ...NEW_CLASSES, owner: access }]);
    return access;
  } catch (error) {
    // Another process has recorded it at the same time.
    if (error instanceof UniqueConstraintError) return accessOf(error.owner);
    throw error;
  }
}

export function accessOf(recorded: string): DefaultAccess {
  return recorded === "open" ? "open" : "closed";
}
