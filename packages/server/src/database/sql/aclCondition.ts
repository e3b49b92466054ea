import { type JsonValue, parseAcl, subjectsWith } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import type { Dialect, SqlParameter } from "./dialect.ts";
import type { SqlFragment } from "./sqlFragment.ts";

/** The subjects that an ACL grants each permission; null if everyone has it. */
export interface AclGrants {
  read: readonly string[] | null;
  write: readonly string[] | null;
}

/** Returns what the ACL columns of an object contain. Throws 123 if the ACL is invalid. */
export function aclGrants(acl: JsonValue | undefined): AclGrants {
  if (acl === undefined) return { read: null, write: null };
  const parsed = parseAcl(acl);
  return { read: subjectsWith(parsed, "read"), write: subjectsWith(parsed, "write") };
}

/** Up to this many subjects are tested individually, more as a list. */
const MAX_INLINE_SUBJECTS = 3;

/** Compiles the condition, with a leading AND, that one of the subjects may read an object; empty for null. */
export function compileReadAccess(
  subjects: AclSubjects,
  parameters: SqlParameter[],
  dialect: Dialect,
): SqlFragment {
  if (subjects === null) return { shape: "all", sql: () => "" };
  const column = "read_acl";
  if (subjects.length <= MAX_INLINE_SUBJECTS) {
    for (const name of subjects) parameters.push(dialect.subject(name));
    const tests = subjects.map(() => ` OR ${dialect.aclContains(column)}`);
    return {
      shape: String(subjects.length),
      sql: () => ` AND (${column} IS NULL${tests.join("")})`,
    };
  }
  parameters.push(...dialect.subjects(subjects));
  return {
    shape: "many",
    sql: () => ` AND (${column} IS NULL OR ${dialect.aclContainsAny(column)})`,
  };
}
