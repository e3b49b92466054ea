import { type FieldType, type JsonObject, jsonEqual, ProtocolError } from "@purse/protocol";
import type { ClassDefinition, SchemaOptions } from "../../config/schemas.ts";
import { type ClassSchema, COMMON_FIELDS } from "../../database/classSchema.ts";
import { CLOSED_PERMISSIONS } from "../permissions/defaultPermissions.ts";
import { editClass } from "./editClass.ts";
import { removedFields, withoutFields } from "./removedFields.ts";
import type { Schemas } from "./schemas.ts";

/** The changes that make a class match its definition. */
export interface ClassPlan {
  className: string;
  /** Human-readable changes: `+ Game.score Number`. Empty if nothing changes. */
  lines: string[];
  next: ClassSchema;
}

/** How definitions become changes of classes. */
export interface DefinitionOptions extends SchemaOptions {
  /** Whether definitions are read as Parse Server reads them. */
  isParseCompatible: boolean;
  /** Called with the ignored parts of a definition. */
  warn?(message: string): void;
}

/**
 * Compares a class with its definition. Fields are added and their options changed, but never removed; only indexes
 * from an earlier definition are dropped. Throws Error if a field has another type than in the definition; for the
 * compatibility with Parse Server, the field is kept as it is.
 */
function planClass(
  current: ClassSchema,
  definition: ClassDefinition,
  isNew: boolean,
  { isParseCompatible, warn }: DefinitionOptions,
): ClassPlan {
  const { className } = definition;
  const lines: string[] = isNew ? [`+ ${className}`] : [];
  const fields: JsonObject = {};
  for (const [name, field] of Object.entries(definition.fields)) {
    if (Object.hasOwn(COMMON_FIELDS, name)) continue;
    const known = current.fields[name];
    const fieldDefinition = toFieldType(field);
    if (!known) {
      fields[name] = field;
      lines.push(`+ ${className}.${name} ${typeText(fieldDefinition)}`);
    } else if (known.type !== fieldDefinition.type || known.targetClass !== fieldDefinition.targetClass) {
      const difference = `${className}.${name} is ${typeText(known)} in the database, and the code says ${typeText(fieldDefinition)}`;
      if (!isParseCompatible) throw new Error(`${difference}: delete the field with its values first`);
      warn?.(difference);
    } else if (!jsonEqual(fieldOptions(known), fieldOptions(fieldDefinition))) {
      fields[name] = field;
      lines.push(`~ ${className}.${name} ${JSON.stringify(fieldOptions(fieldDefinition))}`);
    }
  }
  const { indexes, kept, definedIndexNames } = planIndexes(current, definition, lines);
  const classLevelPermissions = permissionsOf(definition, isParseCompatible);
  const setsPermissions =
    classLevelPermissions !== undefined &&
    !includesPermissions(current.classLevelPermissions, classLevelPermissions);
  if (setsPermissions) lines.push(`~ ${className} class-level permissions`);
  const edit = { fields, indexes, ...(setsPermissions && { classLevelPermissions }) };
  try {
    const next = editClass({ ...current, indexes: kept }, edit, []);
    return {
      className,
      lines,
      next: { ...next, ...(definedIndexNames.length > 0 && { definedIndexes: definedIndexNames }) },
    };
  } catch (error) {
    if (error instanceof ProtocolError) throw new Error(`schemas: ${className}: ${error.message}`);
    throw error;
  }
}

/** Parse Server closes what a definition leaves out, and adding fields in any case: the code defines them. */
function permissionsOf(
  { classLevelPermissions }: ClassDefinition,
  isParseCompatible: boolean,
): JsonObject | undefined {
  if (!isParseCompatible) return classLevelPermissions;
  return { ...CLOSED_PERMISSIONS, ...classLevelPermissions, addField: {} };
}

function planIndexes(
  current: ClassSchema,
  { className, indexes }: ClassDefinition,
  lines: string[],
): { indexes: JsonObject; kept: ClassSchema["indexes"]; definedIndexNames: string[] } {
  const kept = { ...current.indexes };
  const added: JsonObject = {};
  for (const name of current.definedIndexes ?? []) {
    if (Object.hasOwn(indexes, name) || !Object.hasOwn(kept, name)) continue;
    delete kept[name];
    lines.push(`- ${className} index ${name}`);
  }
  for (const [name, keys] of Object.entries(indexes)) {
    const known = kept[name];
    if (known && jsonEqual(known, keys)) continue;
    lines.push(`${known ? "~" : "+"} ${className} index ${name} ${JSON.stringify(keys)}`);
    delete kept[name];
    added[name] = keys;
  }
  return { indexes: added, kept, definedIndexNames: Object.keys(indexes) };
}

/** Plans the changes of all definitions for the current classes. */
export function planSchemas(
  schemas: Schemas,
  definitions: readonly ClassDefinition[],
  options: DefinitionOptions,
): ClassPlan[] {
  return definitions.map((definition) => {
    const { className } = definition;
    const known = schemas.get(className);
    if (!known) return planClass(schemas.newClass(className), definition, true, options);
    const removed = removedFields(known, definition, options, schemas.builtInFields(className));
    const plan = planClass(withoutFields(known, removed), definition, false, options);
    return { ...plan, lines: [...removed.map((name) => `- ${className}.${name}`), ...plan.lines] };
  });
}

/** Applies the definitions, each class under the lock of the database. Returns the changes. */
export async function applySchemas(
  schemas: Schemas,
  definitions: readonly ClassDefinition[],
  options: DefinitionOptions,
): Promise<string[]> {
  const lines: string[] = [];
  for (const definition of definitions) {
    const { className } = definition;
    const known = schemas.get(className);
    const isNew = !known;
    const removed = known ? removedFields(known, definition, options, schemas.builtInFields(className)) : [];
    if (removed.length > 0) {
      // A step of its own: only fields that a class no longer has lose their values.
      await schemas.change(className, (current) => withoutFields(current, removed));
      lines.push(...removed.map((name) => `- ${className}.${name}`));
    }
    await schemas.change(definition.className, (current) => {
      const plan = planClass(current, definition, isNew, options);
      lines.push(...plan.lines);
      return plan.lines.length === 0 ? current : plan.next;
    });
  }
  return lines;
}

/**
 * Whether permissions contain all requested ones; omitted operations are closed, as when permissions are set by hand.
 */
function includesPermissions(
  permissions: ClassSchema["classLevelPermissions"],
  requested: JsonObject,
): boolean {
  const known: JsonObject = JSON.parse(JSON.stringify(permissions));
  return Object.entries(requested).every(([operation, permit]) => jsonEqual(known[operation], permit));
}

function toFieldType(value: JsonObject[string]): FieldType {
  const field: FieldType = JSON.parse(JSON.stringify(value));
  return field;
}

function fieldOptions({ required, defaultValue }: FieldType): JsonObject {
  return { required: required ?? false, defaultValue: defaultValue ?? null };
}

function typeText({ type, targetClass }: FieldType): string {
  return targetClass === undefined ? String(type) : `${type}<${targetClass}>`;
}
