import {
  isJsonObject,
  type JsonObject,
  ProtocolError,
  PUBLIC,
  parseAcl,
  principalsWith,
  type StudioPermissionCheck,
} from "@purse/protocol";
import {
  type AuthContext,
  aclSubjectsOf,
  aclSubjectsWithPublic,
  type RequestContext,
} from "../authContext.ts";
import { assertReachable } from "../objects/clientAccess.ts";
import {
  dependsOnObject,
  isAllowed,
  mayChange,
  pointerScope,
  protectedFieldsFor,
} from "../objects/permissions.ts";
import type { ClassRules } from "../objects/rules.ts";
import type { ClassOperation, ClassSchema } from "../schema/classSchema.ts";

export type CheckedOperation = Exclude<ClassOperation, "addField">;

export interface PermissionQuestion {
  schema: ClassSchema;
  operation: CheckedOperation;
  auth: Exclude<AuthContext, { kind: "master" }>;
  /** The row as it is stored, for operations on one. */
  row: JsonObject | undefined;
  rules: ClassRules | undefined;
  protectedFields: Readonly<Record<string, string[]>> | undefined;
  /** Whether the pipeline shows the row to the caller: what decides of reads, whatever is said here. */
  isShown: boolean | undefined;
  request: RequestContext;
}

/**
 * Whether somebody may do something, asked of the functions that the pipeline asks, in its order; with what decided.
 * What triggers of the application would say of a write is not asked: they may do more than look.
 */
export async function checkPermission(
  question: PermissionQuestion,
): Promise<Omit<StudioPermissionCheck, "memberships" | "gates">> {
  const { schema, operation, auth, row, rules, isShown } = question;
  const steps: StudioPermissionCheck["steps"] = [];
  const roles = auth.kind === "user" ? auth.roles : [];
  const hiddenFields = [...protectedFieldsFor(schema, question.protectedFields, auth, row)];
  const done = (
    decidedBy: StudioPermissionCheck["decidedBy"],
    isPassed: boolean,
    guard: string,
    why: string,
  ) => {
    steps.push({ guard, isPassed, why, isDeciding: true });
    return { isAllowed: isPassed, isOfSome: false, decidedBy, why, steps, roles, hiddenFields };
  };

  const refusal = await refusalOfRules(question);
  if (refusal !== undefined) return done("rule", false, `rule of ${schema.className}`, refusal);
  const passed = (guard: string, why: string) =>
    steps.push({ guard, isPassed: true, why, isDeciding: false });
  if (rules) passed(`rule of ${schema.className}`, "does not refuse");

  const granted = whyClass(schema, operation, auth);
  if (!isAllowed(schema, operation, auth)) return done("class", false, "class-level permissions", granted);
  const isRead = operation === "get" || operation === "find" || operation === "count";
  const isPointed = isRead
    ? pointerScope(schema, operation, auth) !== undefined
    : dependsOnObject(schema, operation, auth);
  if (isPointed && auth.kind === "anonymous") {
    passed("class-level permissions", granted);
    return done("pointer", false, "pointer permissions", "nothing points to somebody who is not signed in");
  }
  // Without a row there is nothing more to ask.
  if (!row) return { ...done("class", true, "class-level permissions", granted), isOfSome: isPointed };
  passed("class-level permissions", granted);
  if (isPointed) {
    // For reads the same fields are asked by the same code that judges writes.
    const isPassed = mayChange(schema, operation, auth, row);
    const why = isPassed ? "a field of the row points to the user" : "no field of the row points to the user";
    if (!isPassed) return done("pointer", false, "pointer permissions", why);
    passed("pointer permissions", why);
  }

  const right = isRead ? "read" : "write";
  const acl = row.ACL === undefined ? undefined : parseAcl(row.ACL);
  const allowed = principalsWith(acl, right);
  const own = aclSubjectsOf(auth) ?? [];
  const by = allowed?.find((principal) => own.includes(principal));
  const isGranted = allowed === null || by !== undefined;
  const why =
    allowed === null
      ? acl
        ? `the ACL lets everyone ${right}`
        : "the row has no ACL"
      : by === undefined
        ? `the ACL lets only ${allowed.join(", ") || "nobody"} ${right}`
        : `the ACL lets ${by} ${right}`;
  if (isShown !== undefined && isShown !== isGranted) {
    // The class's own scope (as for sessions) narrows what is read beside the ACL.
    return done("rule", isShown, `rule of ${schema.className}`, "the class narrows what its readers see");
  }
  return done("acl", isGranted, "ACL", why);
}

/** Which entry of the class-level permissions lets a caller through, or what they ask for. */
function whyClass(schema: ClassSchema, operation: CheckedOperation, auth: AuthContext): string {
  const permission = schema.classLevelPermissions[operation];
  if (!permission) return `${operation} is open to everyone`;
  const by = (aclSubjectsWithPublic(auth) ?? []).find((principal) => permission[principal] === true);
  if (by === PUBLIC) return `${operation} is open to everyone (*)`;
  if (by !== undefined) return `${operation} is open to ${by}`;
  if (permission.requiresAuthentication === true && auth.kind === "user") {
    return `${operation} is open to whoever is signed in`;
  }
  const fields = permission.pointerFields;
  if (Array.isArray(fields)) return `${operation} is open to whom ${fields.join(", ")} points to`;
  const named = Object.keys(permission).filter((principal) => permission[principal] === true);
  return `${operation} is open only to ${named.join(", ") || "the master key"}`;
}

/** What the rules of a class of the server say before the row is looked at. */
async function refusalOfRules({
  schema,
  rules,
  operation,
  row,
  request,
}: PermissionQuestion): Promise<string | undefined> {
  try {
    const known = new Map(rules ? [[schema.className, rules]] : []);
    assertReachable(schema.className, operation, request.auth, known);
    if (operation === "get" || operation === "find" || operation === "count") {
      rules?.beforeRead?.(operation === "get" ? "get" : "find", request);
    } else if (operation !== "create") rules?.beforeWrite?.(operation, String(row?.objectId ?? ""), request);
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return error.message;
    throw error;
  }
}

/** Reads a row's text. */
export function rowOf(text: string | undefined): JsonObject | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}
