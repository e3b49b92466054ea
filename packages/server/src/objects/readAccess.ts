import {
  type Condition,
  compileMatcher,
  ErrorCode,
  type JsonObject,
  type Order,
  ProtocolError,
  parseAcl,
  principalsWith,
} from "@purse/protocol";
import { type AuthContext, aclSubjectsOf, type RequestContext } from "../authContext.ts";
import type { Config } from "../config.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Principals } from "../store/principals.ts";
import { compileRegex } from "../store/regex.ts";
import { assertReachable } from "./clientAccess.ts";
import { authorise, isAllowed, pointerScope, protectedFieldsFor } from "./permissions.ts";
import type { ClassRules } from "./rules.ts";

export type ReadOperation = "get" | "find" | "count";

/** The fields that a query filters and orders by. None of them may be hidden from the caller. */
export interface QueriedFields {
  where: Condition;
  order?: readonly Order[];
}

/**
 * What a request may read of a class. An `ObjectReader` only takes scopes, and only `ReadAccess` creates them, so that
 * no object is read for a caller without authorization.
 */
class AuthorizedScope {
  readonly schema: ClassSchema;
  readonly request: RequestContext;
  readonly #condition: Condition | undefined;

  constructor(schema: ClassSchema, request: RequestContext, condition: Condition | undefined) {
    this.schema = schema;
    this.request = request;
    this.#condition = condition;
  }

  /** The subjects whose ACL entries apply; null if ACLs are bypassed. */
  get principals(): Principals {
    return aclSubjectsOf(this.request.auth);
  }

  /** A condition that objects must match besides their ACLs. */
  get condition(): Condition | undefined {
    return this.#condition;
  }
}

export type { AuthorizedScope as ReadScope };

export interface ReadAccessDependencies {
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Fields that the operator hides, by class and principal, beside those that the classes do. */
  protectedFields?: Config["protectedFields"];
}

/** Authorizes reads. Every path to the objects of a class goes through it. */
export interface ReadAccess {
  /** Throws 119, 103 or the error of the class rules if the caller may not read the class at all. */
  assertReadable(request: RequestContext, className: string, operation: ReadOperation): void;
  /**
   * Returns what the request may read of a class; undefined if the class does not exist. Throws like `assertReadable`,
   * and 119 (or 101) if class-level permissions refuse or the query uses a hidden field.
   */
  authorizeRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    queried?: QueriedFields,
  ): AuthorizedScope | undefined;
  /**
   * The same for the class of a sub-query. Returns undefined, so that nothing matches, if class-level permissions
   * refuse.
   */
  authorizeInnerRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    queried?: QueriedFields,
  ): AuthorizedScope | undefined;
  /** The same for the class of a stored pointer. Returns undefined for every refusal: the object counts as absent. */
  authorizeFollowed(request: RequestContext, className: string): AuthorizedScope | undefined;
  /** The fields of a class, or of one object, that are hidden from a caller. */
  hiddenFrom(schema: ClassSchema, auth: AuthContext, object?: JsonObject): readonly string[];
}

export function createReadAccess({ schemas, rules, protectedFields }: ReadAccessDependencies): ReadAccess {
  const hiddenFrom: ReadAccess["hiddenFrom"] = (schema, auth, object) =>
    protectedFieldsFor(schema, protectedFields?.[schema.className], auth, object);

  const assertReadable: ReadAccess["assertReadable"] = (request, className, operation) => {
    assertReachable(className, operation, request.auth, rules);
    rules.get(className)?.beforeRead?.(operation === "get" ? "get" : "find", request);
  };

  const authorizeRead: ReadAccess["authorizeRead"] = (request, className, operation, queried) => {
    assertReadable(request, className, operation);
    const schema = schemas.get(className);
    authorise(schema, operation, request.auth);
    if (!schema) return undefined;
    if (queried) assertVisible(schema, request.auth, queried);
    return new AuthorizedScope(schema, request, conditionOf(schema, operation, request));
  };

  const authorizeInnerRead: ReadAccess["authorizeInnerRead"] = (request, className, operation, queried) => {
    assertReadable(request, className, operation);
    if (!isAllowed(schemas.get(className), operation, request.auth)) return undefined;
    return authorizeRead(request, className, operation, queried);
  };

  const authorizeFollowed: ReadAccess["authorizeFollowed"] = (request, className) => {
    try {
      return authorizeRead(request, className, "get");
    } catch (error) {
      if (error instanceof ProtocolError) return undefined;
      throw error;
    }
  };

  return { assertReadable, authorizeRead, authorizeInnerRead, authorizeFollowed, hiddenFrom };

  /** Throws 119 for a query that filters or orders by a hidden field, which would reveal its values. */
  function assertVisible(schema: ClassSchema, auth: AuthContext, { where, order = [] }: QueriedFields): void {
    if (auth.kind === "master") return;
    const { className } = schema;
    const hidden = [...hiddenFrom(schema, auth), ...(rules.get(className)?.hidden ?? [])];
    if (hidden.length === 0) return;
    const field = [...fieldsOf(where), ...order.map(({ path }) => path[0])].find((name) =>
      hidden.includes(name),
    );
    if (field === undefined) return;
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      `This user is not allowed to query ${field} on class ${className}`,
    );
  }

  function conditionOf(
    schema: ClassSchema,
    operation: ReadOperation,
    request: RequestContext,
  ): Condition | undefined {
    if (request.auth.kind === "master") return undefined;
    const scope = rules.get(schema.className)?.scope?.(request);
    const pointed = pointerScope(schema, operation, request.auth);
    return scope && pointed ? { kind: "and", conditions: [scope, pointed] } : (scope ?? pointed);
  }
}

/** Whether an object is within a scope. */
export function isReadable(object: JsonObject, { principals, condition }: AuthorizedScope): boolean {
  if (!isGranted(object, "read", principals)) return false;
  return condition === undefined || compileMatcher(condition, { regex: compileRegex })(object);
}

/** Whether the ACL of an object gives one of the principals a permission. */
export function isGranted(object: JsonObject, permission: "read" | "write", principals: Principals): boolean {
  if (principals === null) return true;
  const granted = principalsWith(object.ACL === undefined ? undefined : parseAcl(object.ACL), permission);
  return granted === null || granted.some((principal) => principals.includes(principal));
}

function fieldsOf(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(fieldsOf);
  return where.kind === "relatedTo" ? [] : [where.path[0]];
}
