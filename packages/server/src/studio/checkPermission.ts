import {
  isJsonObject,
  type JsonObject,
  ProtocolError,
  PUBLIC,
  parseAcl,
  type StudioPermissionCheck,
  subjectsWith,
} from "@purse/protocol";
import {
  type AuthContext,
  aclSubjectsOf,
  aclSubjectsWithPublic,
  type RequestContext,
} from "../core/authContext.ts";
import { assertClientAccess } from "../data/objects/clientAccess.ts";
import {
  canChange,
  dependsOnObject,
  isAllowed,
  pointerCondition,
  protectedFieldsFor,
} from "../data/objects/permissions.ts";
import type { ClassRules } from "../data/objects/rules.ts";
import type { ClassOperation, ClassSchema } from "../database/classSchema.ts";

export type CheckedOperation = Exclude<ClassOperation, "addField">;

export interface PermissionCheckInput {
  schema: ClassSchema;
  operation: CheckedOperation;
  auth: Exclude<AuthContext, { kind: "master" }>;
  /** The stored row, for operations on a row. */
  row: JsonObject | undefined;
  rules: ClassRules | undefined;
  protectedFields: Readonly<Record<string, string[]>> | undefined;
  /** Whether the row is returned to the client by an actual read, which overrides the other checks. */
  isVisible: boolean | undefined;
  request: RequestContext;
}

/**
 * Evaluates the permissions of a user, using the functions and the order of real requests, and explains which check
 * decided. Triggers are not run, since they may have side effects.
 */
export async function checkPermission(
  input: PermissionCheckInput,
): Promise<Omit<StudioPermissionCheck, "memberships" | "gates">> {
  const { schema, operation, auth, row, rules, isVisible } = input;
  const steps: StudioPermissionCheck["steps"] = [];
  const roles = auth.kind === "user" ? auth.roles : [];
  const hiddenFields = [...protectedFieldsFor(schema, input.protectedFields, auth, row)];
  const decide = (
    decidedBy: StudioPermissionCheck["decidedBy"],
    isPassed: boolean,
    guard: string,
    why: string,
  ) => {
    steps.push({ guard, isPassed, why, isDeciding: true });
    return { isAllowed: isPassed, isOfSome: false, decidedBy, why, steps, roles, hiddenFields };
  };

  const ruleError = await getRuleError(input);
  if (ruleError !== undefined) return decide("rule", false, `rule of ${schema.className}`, ruleError);
  const addPassedStep = (guard: string, why: string) =>
    steps.push({ guard, isPassed: true, why, isDeciding: false });
  if (rules) addPassedStep(`rule of ${schema.className}`, "does not refuse");

  const classReason = explainClassPermission(schema, operation, auth);
  if (!isAllowed(schema, operation, auth))
    return decide("class", false, "class-level permissions", classReason);
  const isRead = operation === "get" || operation === "find" || operation === "count";
  const hasPointerPermission = isRead
    ? pointerCondition(schema, operation, auth) !== undefined
    : dependsOnObject(schema, operation, auth);
  if (hasPointerPermission && auth.kind === "anonymous") {
    addPassedStep("class-level permissions", classReason);
    return decide(
      "pointer",
      false,
      "pointer permissions",
      "pointers cannot refer to a client that is not signed in",
    );
  }
  // Without a row there are no further checks.
  if (!row)
    return {
      ...decide("class", true, "class-level permissions", classReason),
      isOfSome: hasPointerPermission,
    };
  addPassedStep("class-level permissions", classReason);
  if (hasPointerPermission) {
    // Pointer permissions of reads use the same fields as those of writes.
    const isPassed = canChange(schema, operation, auth, row);
    const why = isPassed ? "a field of the row points to the user" : "no field of the row points to the user";
    if (!isPassed) return decide("pointer", false, "pointer permissions", why);
    addPassedStep("pointer permissions", why);
  }

  const permission = isRead ? "read" : "write";
  const acl = row.ACL === undefined ? undefined : parseAcl(row.ACL);
  const allowed = subjectsWith(acl, permission);
  const own = aclSubjectsOf(auth) ?? [];
  const grantedBy = allowed?.find((subject) => own.includes(subject));
  const isGranted = allowed === null || grantedBy !== undefined;
  const why =
    allowed === null
      ? acl
        ? `the ACL allows everyone to ${permission}`
        : "the row has no ACL"
      : grantedBy === undefined
        ? `the ACL lets only ${allowed.join(", ") || "nobody"} ${permission}`
        : `the ACL lets ${grantedBy} ${permission}`;
  if (isVisible !== undefined && isVisible !== isGranted) {
    // Class rules (as for sessions) restrict reads in addition to the ACL.
    return decide(
      "rule",
      isVisible,
      `rule of ${schema.className}`,
      "the class restricts what clients can read",
    );
  }
  return decide("acl", isGranted, "ACL", why);
}

/** Explains which entry of the class-level permissions allows the operation, or what they require. */
function explainClassPermission(schema: ClassSchema, operation: CheckedOperation, auth: AuthContext): string {
  const permission = schema.classLevelPermissions[operation];
  if (!permission) return `${operation} is open to everyone`;
  const grantedBy = (aclSubjectsWithPublic(auth) ?? []).find((subject) => permission[subject] === true);
  if (grantedBy === PUBLIC) return `${operation} is open to everyone (*)`;
  if (grantedBy !== undefined) return `${operation} is open to ${grantedBy}`;
  if (permission.requiresAuthentication === true && auth.kind === "user") {
    return `${operation} is open to whoever is signed in`;
  }
  const fields = permission.pointerFields;
  if (Array.isArray(fields)) return `${operation} is open to whom ${fields.join(", ")} points to`;
  const named = Object.keys(permission).filter((subject) => permission[subject] === true);
  return `${operation} is open only to ${named.join(", ") || "the master key"}`;
}

/** Returns the error of the rules of a built-in class, if they deny the operation. */
async function getRuleError({
  schema,
  rules,
  operation,
  row,
  request,
}: PermissionCheckInput): Promise<string | undefined> {
  try {
    const known = new Map(rules ? [[schema.className, rules]] : []);
    assertClientAccess(schema.className, operation, request.auth, known);
    if (operation === "get" || operation === "find" || operation === "count") {
      rules?.beforeRead?.(operation === "get" ? "get" : "find", request);
    } else if (operation !== "create") rules?.beforeWrite?.(operation, String(row?.objectId ?? ""), request);
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return error.message;
    throw error;
  }
}

/** Parses a stored row. */
export function parseRow(text: string | undefined): JsonObject | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}
