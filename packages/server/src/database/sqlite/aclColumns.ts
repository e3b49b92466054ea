import type { JsonObject } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import { aclGrants } from "../sql/aclCondition.ts";

/** ACL columns contain `|a|b|`; a subject is searched for with its delimiters. */
export function aclToken(subject: string): string {
  return `|${subject}|`;
}

/** Returns the ACL columns of an object: the subjects with the permission; NULL if everyone has it. */
export function aclColumns({ ACL: acl }: JsonObject): { readAcl: string | null; writeAcl: string | null } {
  const { read, write } = aclGrants(acl);
  return { readAcl: read && aclToken(read.join("|")), writeAcl: write && aclToken(write.join("|")) };
}

/** Whether an ACL column grants its permission to one of the subjects. */
export function isGrantedByColumn(column: string | null, subjects: AclSubjects): boolean {
  return (
    subjects === null || column === null || subjects.some((subject) => column.includes(aclToken(subject)))
  );
}
