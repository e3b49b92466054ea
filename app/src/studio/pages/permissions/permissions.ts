import type { FieldType, JsonObject, JsonValue } from "@purse/protocol";
import { asObject } from "../../components/fields.ts";

/*
 * Class-level permissions as a matrix: who by what. Who is a key: `*` for everyone, `requiresAuthentication` for
 * whoever is signed in, `role:NAME`, the id of a user, or `field:NAME` for whom a field of the object points to.
 */

export const OPERATIONS = ["get", "find", "count", "create", "update", "delete", "addField"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const EVERYONE = "*";
export const SIGNED_IN = "requiresAuthentication";
export const FIELD = "field:";
export const ROLE = "role:";

const READS: readonly string[] = ["get", "find", "count"];
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  readUserFields: READS,
  writeUserFields: ["update", "delete", "addField"],
};

/** Whether an operation changes what is kept. */
export function isWrite(operation: Operation): boolean {
  return !READS.includes(operation);
}

/** Whether an operation can be given to somebody at all: what does not exist yet points to nobody. */
export function isPossible(operation: Operation, subject: string): boolean {
  return operation !== "create" || !subject.startsWith(FIELD);
}

/** Where nothing is said of an operation, everyone may. */
function permissionOf(permissions: JsonObject, operation: Operation): JsonObject {
  return asObject(permissions[operation]) ?? { [EVERYONE]: true };
}

/** The fields whose users an operation is open to, those for all reads or all writes included. */
function fieldsFor(permissions: JsonObject, operation: Operation): string[] {
  if (operation === "create") return [];
  const grouped = READS.includes(operation) ? permissions.readUserFields : permissions.writeUserFields;
  const own = permissionOf(permissions, operation).pointerFields;
  return [...new Set([...strings(own), ...strings(grouped)])];
}

/** Whether an operation is given to somebody by an entry of their own. */
export function isGranted(permissions: JsonObject, operation: Operation, subject: string): boolean {
  if (subject.startsWith(FIELD))
    return fieldsFor(permissions, operation).includes(subject.slice(FIELD.length));
  return permissionOf(permissions, operation)[subject] === true;
}

/** Permissions with an operation given or taken, as `/schemas` takes them: all operations are said. */
export function withGrant(
  permissions: JsonObject,
  operation: Operation,
  subject: string,
  to: boolean,
): JsonObject {
  const next: JsonObject = {
    ...permissions,
    ...Object.fromEntries(OPERATIONS.map((each) => [each, permissionOf(permissions, each)])),
  };
  if (!subject.startsWith(FIELD)) {
    const { [subject]: _, ...others } = permissionOf(next, operation);
    return { ...next, [operation]: to ? { ...others, [subject]: true } : others };
  }
  const field = subject.slice(FIELD.length);
  const expanded = to ? next : expandGroups(next, field);
  const { pointerFields, ...others } = permissionOf(expanded, operation);
  const fields = [...strings(pointerFields).filter((each) => each !== field), ...(to ? [field] : [])];
  return { ...expanded, [operation]: { ...others, ...(fields.length > 0 && { pointerFields: fields }) } };
}

/** The same permissions, with a field named by each operation rather than for all reads or writes together. */
function expandGroups(permissions: JsonObject, field: string): JsonObject {
  let next = permissions;
  for (const [group, operations] of Object.entries(GROUPS)) {
    const fields = strings(next[group]);
    if (!fields.includes(field)) continue;
    next = { ...next, [group]: fields.filter((each) => each !== field) };
    for (const operation of OPERATIONS) {
      if (operations.includes(operation)) next = withGrant(next, operation, FIELD + field, true);
    }
  }
  return next;
}

/** Everybody that some operation names, the general before the particular. */
export function namedSubjects(permissions: JsonObject): string[] {
  const subjects = OPERATIONS.flatMap((operation) => [
    ...Object.keys(permissionOf(permissions, operation)).filter((subject) => subject !== "pointerFields"),
    ...fieldsFor(permissions, operation).map((field) => FIELD + field),
  ]);
  return [...new Set([EVERYONE, SIGNED_IN, ...subjects])];
}

/** Fields by which objects point to users. */
export function pointerFields(fields: Readonly<Record<string, FieldType>>): string[] {
  return Object.entries(fields).flatMap(([name, { type, targetClass }]) =>
    (type === "Pointer" && targetClass === "_User") || type === "Array" ? [name] : [],
  );
}

/** Who an operation is open to, all entries taken together. */
export type Effect =
  | { kind: "everyone" }
  | { kind: "signedIn" }
  | { kind: "some"; roles: string[]; users: string[]; fields: string[] }
  | { kind: "nobody" };

export function effectOf(permissions: JsonObject, operation: Operation): Effect {
  const permission = permissionOf(permissions, operation);
  if (permission[EVERYONE] === true) return { kind: "everyone" };
  const fields = fieldsFor(permissions, operation);
  // Beside fields, to be signed in is no right of its own: it is what the fields ask for.
  if (permission[SIGNED_IN] === true && fields.length === 0) return { kind: "signedIn" };
  const subject = Object.keys(permission).filter((key) => key !== SIGNED_IN && permission[key] === true);
  const roles = subject.flatMap((key) => (key.startsWith(ROLE) ? [key.slice(ROLE.length)] : []));
  const users = subject.filter((key) => !key.startsWith(ROLE));
  if (roles.length + users.length + fields.length === 0) return { kind: "nobody" };
  return { kind: "some", roles, users, fields };
}

/**
 * By which other entry somebody may do what no entry of their own gives them: a key, or undefined. `above` are the names
 * of the roles whose rights members of a role have too.
 */
export function inheritedFrom(
  permissions: JsonObject,
  operation: Operation,
  subject: string,
  ancestors: (role: string) => readonly string[],
): string | undefined {
  if (subject === EVERYONE) return undefined;
  if (isGranted(permissions, operation, EVERYONE)) return EVERYONE;
  if (subject === SIGNED_IN || subject.startsWith(FIELD)) return undefined;
  if (effectOf(permissions, operation).kind === "signedIn") return SIGNED_IN;
  if (!subject.startsWith(ROLE)) return undefined;
  const role = ancestors(subject.slice(ROLE.length)).find((name) =>
    isGranted(permissions, operation, ROLE + name),
  );
  return role === undefined ? undefined : ROLE + role;
}

/** By principal, the fields that it does not get to see. */
export function protectedFields(permissions: JsonObject): Record<string, string[]> {
  const entries = Object.entries(asObject(permissions.protectedFields) ?? {});
  return Object.fromEntries(entries.map(([subject, fields]) => [subject, strings(fields)]));
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
