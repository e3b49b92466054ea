import { type FieldType, type JsonObject, jsonEqual, ProtocolError } from "@purse/protocol";
import type { ClassSchema } from "./classSchema.ts";
import { COMMON_FIELDS } from "./describe.ts";
import { editClass } from "./editClass.ts";
import type { Schemas } from "./schemas.ts";

/** A class as the application's code says it should be. */
export interface DefinedClass {
  className: string;
  fields: JsonObject;
  indexes: JsonObject;
  /** Undefined leaves the permissions to whoever sets them by hand. */
  classLevelPermissions: JsonObject | undefined;
}

/** What a class has to change in to be as it is defined. */
export interface ClassPlan {
  className: string;
  /** For people: `+ Game.score Number`. None where nothing changes. */
  lines: string[];
  next: ClassSchema;
}

/**
 * Compares a class with its definition. Fields are added and their options changed, never removed; of indexes only
 * those go that a definition has made before. Throws Error where a field has another type than the code says.
 */
export function planClass(current: ClassSchema, defined: DefinedClass, isNew: boolean): ClassPlan {
  const { className } = defined;
  const lines: string[] = isNew ? [`+ ${className}`] : [];
  const fields: JsonObject = {};
  for (const [name, field] of Object.entries(defined.fields)) {
    if (Object.hasOwn(COMMON_FIELDS, name)) continue;
    const known = current.fields[name];
    const wanted = fieldOf(field);
    if (!known) {
      fields[name] = field;
      lines.push(`+ ${className}.${name} ${typeText(wanted)}`);
    } else if (known.type !== wanted.type || known.targetClass !== wanted.targetClass) {
      throw new Error(
        `${className}.${name} is ${typeText(known)} in the database, and the code says ${typeText(wanted)}: take the field away first, with its values`,
      );
    } else if (!jsonEqual(plain(known), plain(wanted))) {
      fields[name] = field;
      lines.push(`~ ${className}.${name} ${JSON.stringify(plain(wanted))}`);
    }
  }
  const { indexes, kept, made } = planIndexes(current, defined, lines);
  const { classLevelPermissions } = defined;
  const setsPermissions =
    classLevelPermissions !== undefined && !holds(current.classLevelPermissions, classLevelPermissions);
  if (setsPermissions) lines.push(`~ ${className} class-level permissions`);
  const edit = { fields, indexes, ...(setsPermissions && { classLevelPermissions }) };
  try {
    const next = editClass({ ...current, indexes: kept }, edit, []);
    return { className, lines, next: { ...next, ...(made.length > 0 && { definedIndexes: made }) } };
  } catch (error) {
    if (error instanceof ProtocolError) throw new Error(`schemas: ${className}: ${error.message}`);
    throw error;
  }
}

function planIndexes(
  current: ClassSchema,
  { className, indexes }: DefinedClass,
  lines: string[],
): { indexes: JsonObject; kept: ClassSchema["indexes"]; made: string[] } {
  const kept = { ...current.indexes };
  const added: JsonObject = {};
  for (const name of current.definedIndexes ?? []) {
    if (name in indexes || !(name in kept)) continue;
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
  return { indexes: added, kept, made: Object.keys(indexes) };
}

/** What all definitions come to for the classes as they are. */
export function planSchemas(schemas: Schemas, definitions: readonly DefinedClass[]): ClassPlan[] {
  return definitions.map((defined) => {
    const known = schemas.get(defined.className);
    return planClass(known ?? emptyClass(defined.className), defined, !known);
  });
}

/** Makes the classes what they are defined to be; each under the store's lock. Answers what has changed. */
export async function applySchemas(
  schemas: Schemas,
  definitions: readonly DefinedClass[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const defined of definitions) {
    const isNew = !schemas.get(defined.className);
    await schemas.change(defined.className, (current) => {
      const plan = planClass(current, defined, isNew);
      lines.push(...plan.lines);
      return plan.lines.length === 0 ? current : plan.next;
    });
  }
  return lines;
}

function emptyClass(className: string): ClassSchema {
  return { className, table: className, fields: {}, classLevelPermissions: {}, indexes: {} };
}

/** Whether permissions say all that is asked; what is left out is closed, as when they are set by hand. */
function holds(permissions: ClassSchema["classLevelPermissions"], asked: JsonObject): boolean {
  const known: JsonObject = JSON.parse(JSON.stringify(permissions));
  return Object.entries(asked).every(([operation, permit]) => jsonEqual(known[operation], permit));
}

function fieldOf(value: JsonObject[string]): FieldType {
  const field: FieldType = JSON.parse(JSON.stringify(value));
  return field;
}

function plain({ required, defaultValue }: FieldType): JsonObject {
  return { required: required ?? false, defaultValue: defaultValue ?? null };
}

function typeText({ type, targetClass }: FieldType): string {
  return targetClass === undefined ? String(type) : `${type}<${targetClass}>`;
}
