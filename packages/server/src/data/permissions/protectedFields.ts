import { type Condition, type JsonObject, type Order, ownValue, PUBLIC } from "@purse/protocol";
import { type AuthContext, aclSubjectsOf, bypassesPermissions } from "../../core/authContext.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { pointsToUser } from "../../database/userPointers.ts";

/** Hidden fields by subject: `*`, `authenticated`, user ids, `role:` names, and `userField:` with a field's name. */
export type ProtectedFields = Readonly<Record<string, readonly string[]>>;

/** Fields that the server hides from everyone but the user that they belong to, unless rules open them. */
export interface RestrictedFields {
  fields: readonly string[];
  /** Whether every rule that leaves them out opens them; otherwise only rules of a class that names one of them do. */
  isOpenedByAnyRule: boolean;
}

/** The fields that a query filters and sorts by. None of them may be hidden from the client. */
export interface QueriedFields {
  where: Condition;
  order?: readonly Order[];
}

const USER_FIELD = "userField:";
const NO_FIELDS: readonly string[] = [];

interface Protection {
  rules: ProtectedFields;
  /** Fields that no rule opens. */
  closed: readonly string[];
}

/** Whether objects of a class have fields that are hidden from anyone. */
export function hasProtectedFields(
  schema: ClassSchema | undefined,
  configured: ProtectedFields | undefined,
  restricted?: RestrictedFields,
): boolean {
  return (
    restricted !== undefined ||
    configured !== undefined ||
    Object.keys(schema?.classLevelPermissions.protectedFields ?? {}).length > 0
  );
}

/**
 * Returns the fields of an object that are hidden from a client: those that all matching rules hide. `configured` adds
 * rules to those of the class; `restricted` are hidden unless these rules open them.
 */
export function evaluateProtectedFields(
  schema: ClassSchema,
  configured: ProtectedFields | undefined,
  auth: AuthContext,
  object: JsonObject,
  restricted?: RestrictedFields,
): readonly string[] {
  if (bypassesPermissions(auth)) return NO_FIELDS;
  const { rules, closed } = protectionOf(schema, configured, restricted);
  // Users see all fields of their own user object.
  if (schema.className === "_User" && auth.kind === "user" && object.objectId === auth.userId) {
    return NO_FIELDS;
  }
  const lists = [...listsOfSubjects(rules, auth)];
  if (auth.kind === "user") {
    for (const { field, fields } of userFieldRules(rules)) {
      if (pointsToUser(object, { fields: [field], userId: auth.userId })) lists.push(fields);
    }
  }
  return [...hiddenByAll(lists), ...closed];
}

/**
 * Returns the fields that are hidden from a client in at least some objects of a class. A query must not use them, since
 * its result would reveal their values.
 */
export function evaluateQueryProtection(
  schema: ClassSchema,
  configured: ProtectedFields | undefined,
  auth: AuthContext,
  restricted?: RestrictedFields,
): readonly string[] {
  if (bypassesPermissions(auth)) return NO_FIELDS;
  const { rules, closed } = protectionOf(schema, configured, restricted);
  const lists = listsOfSubjects(rules, auth);
  // Rules for objects that point to the user can only show what others hide, unless there are no others.
  if (lists.length > 0 || auth.kind !== "user") return [...hiddenByAll(lists), ...closed];
  return [...new Set([...userFieldRules(rules).flatMap(({ fields }) => fields), ...closed])];
}

/** Returns the first field of a query that is one of the hidden fields. */
export function findHiddenField(
  { where, order = [] }: QueriedFields,
  hidden: readonly string[],
): string | undefined {
  if (hidden.length === 0) return undefined;
  return [...fieldsIn(where), ...order.map(({ path }) => path[0])].find((name) => hidden.includes(name));
}

function fieldsIn(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(fieldsIn);
  return where.kind === "relatedTo" ? [] : [where.path[0]];
}

function rulesOf(schema: ClassSchema, configured: ProtectedFields | undefined): ProtectedFields {
  const own = schema.classLevelPermissions.protectedFields ?? {};
  if (!configured) return own;
  const merged = new Map<string, readonly string[]>(Object.entries(own));
  for (const [subject, fields] of Object.entries(configured)) {
    merged.set(subject, [...new Set([...(merged.get(subject) ?? []), ...fields])]);
  }
  return Object.fromEntries(merged);
}

function protectionOf(
  schema: ClassSchema,
  configured: ProtectedFields | undefined,
  restricted: RestrictedFields | undefined,
): Protection {
  const rules = rulesOf(schema, configured);
  if (!restricted) return { rules, closed: NO_FIELDS };
  const { fields, isOpenedByAnyRule } = restricted;
  const isNamed = Object.values(rules).some((list) => list.some((field) => fields.includes(field)));
  if (!isNamed && !isOpenedByAnyRule) return { rules, closed: fields };
  const hidden = [...new Set([...(rules[PUBLIC] ?? NO_FIELDS), ...fields])];
  return { rules: { ...rules, [PUBLIC]: hidden }, closed: NO_FIELDS };
}

/** The lists that apply to a client for every object of the class. */
function listsOfSubjects(rules: ProtectedFields, auth: AuthContext): (readonly string[])[] {
  const signedIn = auth.kind === "user" ? ["authenticated"] : [];
  return [PUBLIC, ...(aclSubjectsOf(auth) ?? []), ...signedIn].flatMap((subject) => {
    const fields = ownValue(rules, subject);
    return fields ? [fields] : [];
  });
}

function userFieldRules(rules: ProtectedFields): { field: string; fields: readonly string[] }[] {
  return Object.entries(rules).flatMap(([subject, fields]) =>
    subject.startsWith(USER_FIELD) ? [{ field: subject.slice(USER_FIELD.length), fields }] : [],
  );
}

function hiddenByAll(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = NO_FIELDS, ...others] = lists;
  return first.filter((field) => others.every((list) => list.includes(field)));
}
