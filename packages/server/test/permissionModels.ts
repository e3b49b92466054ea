/*
 * Two in-memory models of permissions: `moduleModel` calls the functions of data/permissions, which live queries and the
 * studio use; `referenceModel` is a second, plain implementation of the documentation of Parse Server.
 */
import {
  type Condition,
  compileMatcher,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Order,
  ProtocolError,
  parseOrder,
  parseWhere,
  type SubQuery,
} from "@purse/protocol";
import { type AuthContext, aclSubjectsOf } from "../src/core/authContext.ts";
import { compileRegex } from "../src/core/regex.ts";
import { evaluateAcl } from "../src/data/permissions/acl.ts";
import { authorizeOperation } from "../src/data/permissions/classPermissions.ts";
import { evaluatePointers, pointerCondition } from "../src/data/permissions/pointerPermissions.ts";
import {
  evaluateProtectedFields,
  evaluateQueryProtection,
  findHiddenField,
} from "../src/data/permissions/protectedFields.ts";
import { compileReadFilter } from "../src/data/permissions/readFilter.ts";
import type { ClassOperation, ClassSchema } from "../src/database/classSchema.ts";

export type ReadOperation = "get" | "find" | "count";

/** The decisions that the models differ in. */
export interface PermissionModel {
  /** Returns the code of the error that an operation on the class results in; undefined if it is allowed. */
  classError(schema: ClassSchema, operation: ClassOperation, auth: AuthContext): number | undefined;
  isReadable(schema: ClassSchema, operation: ReadOperation, auth: AuthContext, object: JsonObject): boolean;
  isWritable(
    schema: ClassSchema,
    operation: "update" | "delete",
    auth: AuthContext,
    object: JsonObject,
  ): boolean;
  /** Fields that queries must not use. */
  unqueryable(schema: ClassSchema, configured: ProtectedRules, auth: AuthContext): readonly string[];
  hidden(
    schema: ClassSchema,
    configured: ProtectedRules,
    auth: AuthContext,
    object: JsonObject,
  ): readonly string[];
}

type ProtectedRules = Readonly<Record<string, string[]>> | undefined;

/** The model of the permission module. */
export const moduleModel: PermissionModel = {
  classError(schema, operation, auth) {
    try {
      authorizeOperation(schema, operation, auth);
      return undefined;
    } catch (error) {
      if (error instanceof ProtocolError) return error.code;
      throw error;
    }
  },
  isReadable: (schema, operation, auth, object) =>
    compileReadFilter({
      subjects: aclSubjectsOf(auth),
      condition: pointerCondition(schema, operation, auth),
    })(object),
  isWritable: (schema, operation, auth, object) =>
    evaluateAcl(object, "write", aclSubjectsOf(auth)) && evaluatePointers(schema, operation, auth, object),
  unqueryable: evaluateQueryProtection,
  hidden: evaluateProtectedFields,
};

/** The model of the documentation. */
export const referenceModel: PermissionModel = {
  classError(schema, operation, auth) {
    const access = referenceAccess(schema, operation, auth);
    return typeof access === "number" ? access : undefined;
  },
  isReadable: (schema, operation, auth, object) => isAccessible(schema, operation, "read", auth, object),
  isWritable: (schema, operation, auth, object) => isAccessible(schema, operation, "write", auth, object),
  unqueryable(schema, configured, auth) {
    if (auth.kind === "master") return [];
    const rules = mergedRules(schema, configured);
    const always = rules.filter(([subject]) => namesOf(auth).includes(subject));
    if (always.length > 0) return fieldsInAll(always.map(([, fields]) => fields));
    if (auth.kind === "anonymous") return [];
    return rules.filter(([subject]) => subject.startsWith("userField:")).flatMap(([, fields]) => fields);
  },
  hidden(schema, configured, auth, object) {
    if (auth.kind === "master") return [];
    const applies = (subject: string) =>
      namesOf(auth).includes(subject) ||
      (subject.startsWith("userField:") && isUserIn(object[subject.replace("userField:", "")], auth));
    return fieldsInAll(
      mergedRules(schema, configured)
        .filter(([subject]) => applies(subject))
        .map(([, fields]) => fields),
    );
  },
};

/** Names of a client in permissions. */
function namesOf(auth: AuthContext): string[] {
  if (auth.kind !== "user") return ["*"];
  return ["*", "authenticated", auth.userId, ...auth.roles.map((role) => `role:${role}`)];
}

/** The code of an error, whether all objects are accessible, or the fields that must point to the user. */
function referenceAccess(
  { classLevelPermissions: permissions }: ClassSchema,
  operation: ClassOperation,
  auth: AuthContext,
): number | true | string[] {
  const permission = permissions[operation];
  if (auth.kind === "master" || permission === undefined) return true;
  const { requiresAuthentication, pointerFields = [], ...named } = permission;
  const names = namesOf(auth).filter((name) => name !== "authenticated");
  if (names.some((name) => named[name] === true)) return true;
  if (requiresAuthentication && auth.kind === "anonymous") return ErrorCode.OBJECT_NOT_FOUND;
  const isRead = operation === "get" || operation === "find" || operation === "count";
  const grouped = (isRead ? permissions.readUserFields : permissions.writeUserFields) ?? [];
  const fields = [...(Array.isArray(pointerFields) ? pointerFields : []), ...grouped];
  if (fields.length > 0 && operation !== "create") return fields;
  return requiresAuthentication === true || ErrorCode.OPERATION_FORBIDDEN;
}

function isAccessible(
  schema: ClassSchema,
  operation: ClassOperation,
  permission: "read" | "write",
  auth: AuthContext,
  object: JsonObject,
): boolean {
  if (auth.kind === "master") return true;
  const access = referenceAccess(schema, operation, auth);
  if (typeof access === "number") return false;
  if (access !== true && !access.some((field) => isUserIn(object[field], auth))) return false;
  const acl = object.ACL;
  if (!isJsonObject(acl)) return true;
  return namesOf(auth).some((name) => {
    const entry = name === "authenticated" ? undefined : acl[name];
    return isJsonObject(entry) && entry[permission] === true;
  });
}

/** Whether a value is a pointer to the user, or an array with one. */
function isUserIn(value: JsonValue | undefined, auth: AuthContext): boolean {
  if (Array.isArray(value)) return value.some((item) => !Array.isArray(item) && isUserIn(item, auth));
  return (
    auth.kind === "user" &&
    isJsonObject(value) &&
    value.__type === "Pointer" &&
    value.className === "_User" &&
    value.objectId === auth.userId
  );
}

function mergedRules(schema: ClassSchema, configured: ProtectedRules): [string, string[]][] {
  const own = schema.classLevelPermissions.protectedFields ?? {};
  const subjects = new Set([...Object.keys(own), ...Object.keys(configured ?? {})]);
  return [...subjects].map((subject) => [
    subject,
    [...(own[subject] ?? []), ...(configured?.[subject] ?? [])],
  ]);
}

function fieldsInAll(lists: string[][]): string[] {
  return [...new Set(lists.flat())].filter((field) => lists.every((fields) => fields.includes(field)));
}

/** The classes and objects of a scenario. */
export interface SystemState {
  schemas: Record<string, ClassSchema>;
  objects: Record<string, JsonObject[]>;
  /** Protected fields of the configuration, by class. */
  configured: Record<string, ProtectedRules>;
}

/** The client, and the model that evaluates its permissions. */
export interface Asker {
  model: PermissionModel;
  state: SystemState;
  auth: AuthContext;
}

/** Returns the objects that a query finds, as the client sees them. Throws ModelError. */
export function findInMemory(
  asker: Asker,
  operation: ReadOperation,
  { className, where, order = "" }: { className: string; where: JsonObject; order?: string | undefined },
): JsonObject[] {
  const { model, state, auth } = asker;
  const schema = schemaOf(state, className);
  const code = model.classError(schema, operation, auth);
  if (code !== undefined) throw new ModelError(code);
  const found = select(asker, operation, schema, parseWhere(where), parseOrder(order));
  return found.map((object) => {
    const hidden = model.hidden(schema, state.configured[className], auth, object);
    return Object.fromEntries(Object.entries(object).filter(([name]) => !hidden.includes(name)));
  });
}

function select(
  asker: Asker,
  operation: ReadOperation,
  schema: ClassSchema,
  where: Condition,
  order: Order[],
): JsonObject[] {
  const { model, state, auth } = asker;
  const { className } = schema;
  const unqueryable = model.unqueryable(schema, state.configured[className], auth);
  if (findHiddenField({ where, order }, unqueryable) !== undefined) {
    throw new ModelError(ErrorCode.OPERATION_FORBIDDEN);
  }
  const selected = new Map<SubQuery, JsonObject[]>(
    subQueriesIn(where).map(({ query, key }) => {
      const target = schemaOf(state, query.className);
      if (model.classError(target, "find", auth) !== undefined) return [query, []];
      const selectedKey: Order[] = key === undefined ? [] : [{ path: [key], descending: false }];
      return [query, select(asker, "find", target, query.where, selectedKey)];
    }),
  );
  const matches = compileMatcher(where, {
    regex: compileRegex,
    subQuery: (query) => selected.get(query) ?? [],
  });
  return (state.objects[className] ?? []).filter(
    (object) => model.isReadable(schema, operation, auth, object) && matches(object),
  );
}

function schemaOf(state: SystemState, className: string): ClassSchema {
  const schema = state.schemas[className];
  if (!schema) throw new Error(`the class ${className} is missing`);
  return schema;
}

/** The code of the error that a client would get. */
export class ModelError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`error ${code}`);
    this.code = code;
  }
}

function subQueriesIn(condition: Condition): { query: SubQuery; key: string | undefined }[] {
  if ("conditions" in condition) return condition.conditions.flatMap(subQueriesIn);
  if (condition.kind === "inQuery") return [{ query: condition.query, key: undefined }];
  return condition.kind === "select" ? [{ query: condition.query, key: condition.key[0] }] : [];
}
