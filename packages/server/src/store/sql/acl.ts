import { type JsonObject, parseAcl, principalsWith } from "@purse/protocol";

/** ACL columns hold `|a|b|`; a principal is looked for with its bars. */
export function aclNeedle(principal: string): string {
  return `|${principal}|`;
}

/** The ACL columns of an object: those with the permission, NULL where everyone has it. */
export function aclColumns(object: JsonObject): { readAcl: string | null; writeAcl: string | null } {
  if (object.ACL === undefined) return { readAcl: null, writeAcl: null };
  const acl = parseAcl(object.ACL);
  const column = (permission: "read" | "write") => {
    const principals = principalsWith(acl, permission);
    return principals && `|${principals.join("|")}|`;
  };
  return { readAcl: column("read"), writeAcl: column("write") };
}
