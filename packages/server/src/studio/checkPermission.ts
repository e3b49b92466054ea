import {
  isJsonObject,
  type JsonObject,
  ProtocolError,
  PUBLIC,
  parseAcl,
  subjectsWith,
} from "@purse/protocol";
import { type AuthContext, aclSubjectsOf, type RequestContext } from "../core/authContext.ts";
import type { ClassRules } from "../data/objects/classRules.ts";
import { type AclPermission, grantingSubject } from "../data/permissions/acl.ts";
import { type ClassAccess, evaluateClassPermissions } from "../data/permissions/classPermissions.ts";
import { assertClientAccess } from "../data/permissions/clientAccess.ts";
import { evaluatePointers } from "../data/permissions/pointerPermissions.ts";
import { evaluateProtectedFields, type ProtectedFields } from "../data/permissions/protectedFields.ts";
import type { ClassOperation, ClassSchema } from "../database/classSchema.ts";
import type { StudioPermissionCheck } from "../studioApi/permissions.ts";

type CheckedOperation = Exclude<ClassOperation, "addField">;

const READ_OPERATIONS: ReadonlySet<CheckedOperation> = new Set(["get", "find", "count"]);

export interface PermissionCheckInput {
  schema: ClassSchema;
  operation: CheckedOperation;
  auth: Extract<AuthContext, { kind: "anonymous" | "user" }>;
  /** The stored row, for operations on a row. */
  row: JsonObject | undefined;
  rules: ClassRules | undefined;
  protectedFields: ProtectedFields | undefined;
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
  const hiddenFields = [
    ...evaluateProtectedFields(schema, input.protectedFields, auth, row ?? {}, input.rules?.restrictedFields),
  ];
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

  const access = evaluateClassPermissions(schema, operation, auth);
  const classReason = explainClassAccess(access, schema, operation);
  if (access.objects === "none") return decide("class", false, "class-level permissions", classReason);
  const hasPointerPermission = access.objects === "pointing";
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
    const isPassed = evaluatePointers(schema, operation, auth, row);
    const why = isPassed ? "a field of the row points to the user" : "no field of the row points to the user";
    if (!isPassed) return decide("pointer", false, "pointer permissions", why);
    addPassedStep("pointer permissions", why);
  }

  const { isGranted, why } = explainAcl(row, READ_OPERATIONS.has(operation) ? "read" : "write", auth);
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
function explainClassAccess(access: ClassAccess, schema: ClassSchema, operation: CheckedOperation): string {
  switch (access.objects) {
    case "all":
      if (access.grantedBy === undefined) return `${operation} is open to everyone`;
      if (access.grantedBy === PUBLIC) return `${operation} is open to everyone (*)`;
      return access.grantedBy === "requiresAuthentication"
        ? `${operation} is open to signed-in users`
        : `${operation} is open to ${access.grantedBy}`;
    case "pointing":
      return `${operation} is open to users that ${access.fields.join(", ")} points to`;
    case "none": {
      const permission = schema.classLevelPermissions[operation] ?? {};
      const named = Object.keys(permission).filter((subject) => permission[subject] === true);
      return `${operation} is open only to ${named.join(", ") || "the master key"}`;
    }
  }
}

/** Evaluates the ACL of a row and explains the result. */
function explainAcl(
  { ACL: acl }: JsonObject,
  permission: AclPermission,
  auth: AuthContext,
): { isGranted: boolean; why: string } {
  if (acl === undefined) return { isGranted: true, why: "the row has no ACL" };
  const grantedBy = grantingSubject(acl, permission, aclSubjectsOf(auth) ?? []);
  if (grantedBy === PUBLIC) return { isGranted: true, why: `the ACL allows everyone to ${permission}` };
  if (grantedBy !== undefined) return { isGranted: true, why: `the ACL lets ${grantedBy} ${permission}` };
  const named = subjectsWith(parseAcl(acl), permission) ?? [];
  return {
    isGranted: false,
    why: `the ACL lets ${named.length > 0 ? `only ${named.join(", ")}` : "no one"} ${permission}`,
  };
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
