import { type Condition, type JsonObject, ProtocolError } from "@purse/protocol";
import type { Config } from "../../config/loadConfig.ts";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import {
  type AuthContext,
  aclSubjectsOf,
  bypassesPermissions,
  type RequestContext,
} from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { trace } from "../../core/tracing/tracing.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { authorizeOperation, isAllowed } from "../permissions/classPermissions.ts";
import { assertClientAccess } from "../permissions/clientAccess.ts";
import { pointerCondition } from "../permissions/pointerPermissions.ts";
import {
  evaluateProtectedFields,
  evaluateQueryProtection,
  findHiddenField,
  type QueriedFields,
} from "../permissions/protectedFields.ts";
import type { ReadFilter } from "../permissions/readFilter.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ClassRules } from "./classRules.ts";

export type ReadOperation = "get" | "find" | "count";

/**
 * The part of a class that a request may read. An `ObjectReader` takes only scopes, and only `ReadAccess` creates them,
 * so that no object is read for a client without authorization.
 */
class AuthorizedScope implements ReadFilter {
  readonly schema: ClassSchema;
  readonly request: RequestContext;
  readonly #condition: Condition | undefined;

  constructor(schema: ClassSchema, request: RequestContext, condition: Condition | undefined) {
    this.schema = schema;
    this.request = request;
    this.#condition = condition;
  }

  /** The subjects whose ACL entries apply; null if ACLs are bypassed. */
  get subjects(): AclSubjects {
    return aclSubjectsOf(this.request.auth);
  }

  /** A condition that objects must match in addition to their ACLs. */
  get condition(): Condition | undefined {
    return this.#condition;
  }
}

export type { AuthorizedScope as ReadScope };

export interface ReadAccessDependencies {
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  /** Fields that the server configuration hides, by class and subject, in addition to those of the schemas. */
  protectedFields?: Config["protectedFields"];
}

/** Authorizes reads. Every read of objects of a class for a client passes through it. */
export interface ReadAccess {
  /** Throws 119, 103 or the error of the class rules if the client may not read the class at all. */
  assertReadable(request: RequestContext, className: string, operation: ReadOperation): void;
  /**
   * Returns the scope of a read; undefined if the class does not exist. Throws like `assertReadable`, and 119 (or 101)
   * if class-level permissions deny it or the query uses a hidden field.
   */
  authorizeRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    queriedFields?: QueriedFields,
  ): AuthorizedScope | undefined;
  /**
   * Like `authorizeRead`, for the class of a sub-query. Returns undefined, so that nothing matches, if class-level
   * permissions deny it.
   */
  authorizeSubqueryRead(
    request: RequestContext,
    className: string,
    operation: ReadOperation,
    queriedFields?: QueriedFields,
  ): AuthorizedScope | undefined;
  /**
   * Like `authorizeRead`, for the target class of a stored pointer. Returns undefined instead of throwing: the object
   * counts as missing.
   */
  authorizePointerTarget(request: RequestContext, className: string): AuthorizedScope | undefined;
  /** Returns the fields of an object that are hidden from a client. */
  hiddenFields(schema: ClassSchema, auth: AuthContext, object: JsonObject): readonly string[];
}

export function createReadAccess({ schemas, rules, protectedFields }: ReadAccessDependencies): ReadAccess {
  const hiddenFields: ReadAccess["hiddenFields"] = (schema, auth, object) =>
    evaluateProtectedFields(
      schema,
      protectedFields?.[schema.className],
      auth,
      object,
      rules.get(schema.className)?.restrictedFields,
    );

  const assertReadable: ReadAccess["assertReadable"] = (request, className, operation) => {
    assertClientAccess(className, operation, request.auth, rules);
    rules.get(className)?.beforeRead?.(operation === "get" ? "get" : "find", request);
  };

  const authorizeRead: ReadAccess["authorizeRead"] = (request, className, operation, queriedFields) => {
    assertReadable(request, className, operation);
    const schema = schemas.get(className);
    trace("authorize", () => authorizeOperation(schema, operation, request.auth));
    if (!schema) return undefined;
    if (queriedFields) assertQueryable(schema, request.auth, queriedFields);
    return new AuthorizedScope(schema, request, readCondition(schema, operation, request));
  };

  const authorizeSubqueryRead: ReadAccess["authorizeSubqueryRead"] = (
    request,
    className,
    operation,
    queriedFields,
  ) => {
    assertReadable(request, className, operation);
    if (!isAllowed(schemas.get(className), operation, request.auth)) return undefined;
    return authorizeRead(request, className, operation, queriedFields);
  };

  const authorizePointerTarget: ReadAccess["authorizePointerTarget"] = (request, className) => {
    try {
      return authorizeRead(request, className, "get");
    } catch (error) {
      if (error instanceof ProtocolError) return undefined;
      throw error;
    }
  };

  return { assertReadable, authorizeRead, authorizeSubqueryRead, authorizePointerTarget, hiddenFields };

  /** Throws 119 for a query that filters or sorts by a hidden field, which would reveal its values. */
  function assertQueryable(schema: ClassSchema, auth: AuthContext, queriedFields: QueriedFields): void {
    if (bypassesPermissions(auth)) return;
    const { className } = schema;
    const restricted = rules.get(className)?.restrictedFields;
    const hidden = evaluateQueryProtection(schema, protectedFields?.[className], auth, restricted);
    const field = findHiddenField(queriedFields, hidden);
    if (field === undefined) return;
    throw operationForbidden(`This user is not allowed to query ${field} on class ${className}`);
  }

  function readCondition(
    schema: ClassSchema,
    operation: ReadOperation,
    request: RequestContext,
  ): Condition | undefined {
    if (bypassesPermissions(request.auth)) return undefined;
    const scope = rules.get(schema.className)?.readCondition?.(request);
    const pointers = pointerCondition(schema, operation, request.auth);
    return scope && pointers ? { kind: "and", conditions: [scope, pointers] } : (scope ?? pointers);
  }
}
