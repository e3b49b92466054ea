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
import { type Caller, type Principals, principalsOf, type RequestContext } from "../caller.ts";
import type { Config } from "../config.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import { compileRegex } from "../store/regex.ts";
import { assertReachable } from "./clientAccess.ts";
import { authorise, isAllowed, pointerScope, protectedFieldsFor } from "./permissions.ts";
import type { ClassRules } from "./rules.ts";

export type ReadOperation = "get" | "find" | "count";

/** What is asked about objects before any of them is shown: hidden fields may be in neither. */
export interface AskedFields {
  where: Condition;
  order?: readonly Order[];
}

/**
 * What a request may read of a class. Objects are read for callers by an `ObjectReader`, which takes nothing but this,
 * and `ReadAccess` alone makes it: there is no other way to an object.
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

  /** Those whose ACL entries count; null where every object may be read. */
  get principals(): Principals {
    return principalsOf(this.request.caller);
  }

  /** What objects have to fulfil beside their ACLs; undefined where that is nothing. */
  get condition(): Condition | undefined {
    return this.#condition;
  }
}

export type { AuthorizedScope as ReadScope };

export interface ReadAccessParts {
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Fields that the operator hides, by class and principal, beside those that the classes do. */
  protectedFields?: Config["protectedFields"];
}

/** The one authorization of reads. Every path to objects of a class passes it. */
export interface ReadAccess {
  /** Throws 119, 103 or what the rules of the class say where the caller may not ask for its objects at all. */
  assertReadable(request: RequestContext, className: string, operation: ReadOperation): void;
  /**
   * Answers what the request may read of a class; undefined where there is no such class. Throws as `assertReadable`
   * does, and 119 (or 101) where class-level permissions refuse or a hidden field is asked about.
   */
  authorizeRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    asked?: AskedFields,
  ): AuthorizedScope | undefined;
  /**
   * The same for a class that a where leads to: where class-level permissions refuse nothing is found in it, so
   * that neither the class nor the permission is told from an empty answer.
   */
  authorizeInnerRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    asked?: AskedFields,
  ): AuthorizedScope | undefined;
  /** The same for a class that a stored pointer leads to: whatever refuses it, there is nothing to be read. */
  authorizeFollowed(request: RequestContext, className: string): AuthorizedScope | undefined;
  /** The fields that a caller does not see of a class, or of one object of it. */
  hiddenFrom(schema: ClassSchema, caller: Caller, object?: JsonObject): readonly string[];
}

export function createReadAccess({ schemas, rules, protectedFields }: ReadAccessParts): ReadAccess {
  const hiddenFrom: ReadAccess["hiddenFrom"] = (schema, caller, object) =>
    protectedFieldsFor(schema, protectedFields?.[schema.className], caller, object);

  const assertReadable: ReadAccess["assertReadable"] = (request, className, operation) => {
    assertReachable(className, operation, request.caller, rules);
    rules.get(className)?.beforeRead?.(operation === "get" ? "get" : "find", request);
  };

  const authorizeRead: ReadAccess["authorizeRead"] = (request, className, operation, asked) => {
    assertReadable(request, className, operation);
    const schema = schemas.get(className);
    authorise(schema, operation, request.caller);
    if (!schema) return undefined;
    if (asked) assertVisible(schema, request.caller, asked);
    return new AuthorizedScope(schema, request, conditionOf(schema, operation, request));
  };

  const authorizeInnerRead: ReadAccess["authorizeInnerRead"] = (request, className, operation, asked) => {
    assertReadable(request, className, operation);
    if (!isAllowed(schemas.get(className), operation, request.caller)) return undefined;
    return authorizeRead(request, className, operation, asked);
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

  /** A where or an order can ask about a hidden field without being shown it: refused. */
  function assertVisible(schema: ClassSchema, caller: Caller, { where, order = [] }: AskedFields): void {
    if (caller.kind === "master") return;
    const { className } = schema;
    const hidden = [...hiddenFrom(schema, caller), ...(rules.get(className)?.hidden ?? [])];
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
    if (request.caller.kind === "master") return undefined;
    const scope = rules.get(schema.className)?.scope?.(request);
    const pointed = pointerScope(schema, operation, request.caller);
    return scope && pointed ? { kind: "and", conditions: [scope, pointed] } : (scope ?? pointed);
  }
}

/** Whether an object is one of those that a scope lets be read. */
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
