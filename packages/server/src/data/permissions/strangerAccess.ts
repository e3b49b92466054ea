import { PUBLIC } from "@purse/protocol";
import { ANONYMOUS, type AuthContext } from "../../core/authContext.ts";
import type { ClassOperation, ClassSchema } from "../../database/classSchema.ts";
import { type AclPermission, grantingSubject } from "./acl.ts";
import { isApplicationClass } from "./classAccess.ts";
import { evaluateClassPermissions } from "./classPermissions.ts";

/** Someone who has just signed up: no object names them, and they have no role. */
const NEWCOMER: AuthContext = { kind: "user", userId: "", roles: [], sessionId: "", sessionToken: "" };

const READS = ["find", "get", "count"] as const satisfies readonly ClassOperation[];
const CHANGES = ["update", "delete"] as const satisfies readonly ClassOperation[];

/** Who may do something with objects that do not belong to them and have no ACL of their own. */
export type Strangers = "everyone" | "users" | undefined;

/** What strangers may do with a class. */
export interface StrangerAccess {
  className: string;
  read: Strangers;
  create: Strangers;
  /** Changing and deleting the objects of others. */
  change: Strangers;
}

/** Evaluates what strangers may do with a class: people who are not signed in, or who have just signed up. */
export function strangerAccess(schema: ClassSchema): StrangerAccess {
  const { className } = schema;
  const of = (operations: readonly ClassOperation[], permission?: AclPermission): Strangers => {
    const isPossible = (auth: AuthContext) =>
      operations.some((operation) => evaluateClassPermissions(schema, operation, auth).objects === "all");
    if (permission !== undefined && !isPublicByDefault(schema, permission)) return undefined;
    if (isPossible(ANONYMOUS)) return "everyone";
    return isPossible(NEWCOMER) ? "users" : undefined;
  };
  return { className, read: of(READS, "read"), create: of(["create"]), change: of(CHANGES, "write") };
}

/** The classes of the application to which strangers have any access. */
export function classesOpenToStrangers(classes: readonly ClassSchema[]): StrangerAccess[] {
  return classes
    .filter(isApplicationClass)
    .map(strangerAccess)
    .filter(({ read, create, change }) => read ?? create ?? change);
}

/** Describes the access: `Note: everyone read, users create`. */
export function strangerAccessText({ className, ...access }: StrangerAccess): string {
  const parts = Object.entries(access).flatMap(([operation, who]: [string, Strangers]) =>
    who === undefined ? [] : [`${who} ${operation}`],
  );
  return `${className}: ${parts.join(", ") || "only operators, roles and named users"}`;
}

/** Whether objects that are created without an ACL, at least by operators, leave a permission to the class. */
function isPublicByDefault({ classLevelPermissions: { ACL: acl } }: ClassSchema, permission: AclPermission) {
  return acl === undefined || grantingSubject(acl, permission, []) === PUBLIC;
}
