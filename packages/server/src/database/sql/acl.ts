import { type JsonObject, parseAcl, subjectsWith } from "@purse/protocol";

/** ACL columns contain `|a|b|`; a subject is searched for with its delimiters. */
export function aclToken(subject: string): string {
  return `|${subject}|`;
}

/** Returns the ACL columns of an object: the subjects with the permission; NULL if everyone has it. */
export function aclColumns(object: JsonObject): { readAcl: string | null; writeAcl: string | null } {
  if (object.ACL === undefined) return { readAcl: null, writeAcl: null };
  const acl = parseAcl(object.ACL);
  const column = (permission: "read" | "write") => {
    const subjects = subjectsWith(acl, permission);
    return subjects && `|${subjects.join("|")}|`;
  };
  return { readAcl: column("read"), writeAcl: column("write") };
}
