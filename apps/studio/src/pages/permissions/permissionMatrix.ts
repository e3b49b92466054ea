import type { FieldType, JsonObject, JsonValue } from "@purse/protocol";
import { asObject } from "../../components/fields.ts";

/*
 * Class-level permissions as a matrix of subjects and operations. A subject is a key: `*` for everyone,
 * `requiresAuthentication` for authenticated users, `role:NAME`, a user id, or `field:NAME` for the users in a field.
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

/** Whether an operation writes. */
export function isWrite(operation: Operation): boolean {
  return !READS.includes(operation);
}

/** Whether an operation can be granted to a subject: a new object has no pointers yet. */
export function isPossible(operation: Operation, subject: string): boolean {
  return operation !== "create" || !subject.startsWith(FIELD);
}

/** A missing operation is public. */
function permissionOf(permissions: JsonObject, operation: Operation): JsonObject {
  return asObject(permissions[operation]) ?? { [EVERYONE]: true };
}

/** Pointer fields that grant an operation, including readUserFields and writeUserFields. */
function fieldsFor(permissions: JsonObject, operation: Operation): string[] {
  if (operation === "create") return [];
  const grouped = READS.includes(operation) ? permissions.readUserFields : permissions.writeUserFields;
  const own = permissionOf(permissions, operation).pointerFields;
  return [...new Set([...strings(own), ...strings(grouped)])];
}

/** Whether a subject has its own grant for an operation. */
export function isGranted(permissions: JsonObject, operation: Operation, subject: string): boolean {
  if (subject.startsWith(FIELD))
    return fieldsFor(permissions, operation).includes(subject.slice(FIELD.length));
  return permissionOf(permissions, operation)[subject] === true;
}

/** Permissions with an operation granted or revoked, with all operations listed as `/schemas` requires. */
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

/** Replaces a field of readUserFields and writeUserFields by a grant for each operation. */
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

/** All subjects with a grant, general ones first. */
export function namedSubjects(permissions: JsonObject): string[] {
  const subjects = OPERATIONS.flatMap((operation) => [
    ...Object.keys(permissionOf(permissions, operation)).filter((subject) => subject !== "pointerFields"),
    ...fieldsFor(permissions, operation).map((field) => FIELD + field),
  ]);
  return [...new Set([EVERYONE, SIGNED_IN, ...subjects])];
}

/** Fields that can point to users. */
export function pointerFields(fields: Readonly<Record<string, FieldType>>): string[] {
  return Object.entries(fields).flatMap(([name, { type, targetClass }]) =>
    (type === "Pointer" && targetClass === "_User") || type === "Array" ? [name] : [],
  );
}

/** The combined effect of all grants of an operation. */
export type Effect =
  | { kind: "everyone" }
  | { kind: "signedIn" }
  | { kind: "some"; roles: string[]; users: string[]; fields: string[] }
  | { kind: "nobody" };

export function effectOf(permissions: JsonObject, operation: Operation): Effect {
  const permission = permissionOf(permissions, operation);
  if (permission[EVERYONE] === true) return { kind: "everyone" };
  const fields = fieldsFor(permissions, operation);
  // With pointer fields, requiresAuthentication is a condition and not a grant.
  if (permission[SIGNED_IN] === true && fields.length === 0) return { kind: "signedIn" };
  const subject = Object.keys(permission).filter((key) => key !== SIGNED_IN && permission[key] === true);
  const roles = subject.flatMap((key) => (key.startsWith(ROLE) ? [key.slice(ROLE.length)] : []));
  const users = subject.filter((key) => !key.startsWith(ROLE));
  if (roles.length + users.length + fields.length === 0) return { kind: "nobody" };
  return { kind: "some", roles, users, fields };
}

/**
 * The subject from which a permission is inherited, or undefined. `ancestors` returns the names of the roles that a role
 * inherits from.
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

/** Hidden fields by subject. */
export function protectedFields(permissions: JsonObject): Record<string, string[]> {
  const entries = Object.entries(asObject(permissions.protectedFields) ?? {});
  return Object.fromEntries(entries.map(([subject, fields]) => [subject, strings(fields)]));
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
