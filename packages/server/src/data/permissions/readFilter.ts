import { type Condition, compileMatcher, type JsonObject } from "@purse/protocol";
import type { AclSubjects } from "../../core/aclSubjects.ts";
import { compileRegex } from "../../core/regex.ts";
import { evaluateAcl } from "./acl.ts";

/** Which objects of a class a client may read. The database applies it as SQL, `compileReadFilter` in memory. */
export interface ReadFilter {
  /** The subjects of which the ACL of an object must name one; null if ACLs are bypassed. */
  readonly subjects: AclSubjects;
  /** A condition that objects must match in addition to their ACLs. */
  readonly condition: Condition | undefined;
}

/** Returns a function that tests whether an object passes a filter. */
export function compileReadFilter({ subjects, condition }: ReadFilter): (object: JsonObject) => boolean {
  const matches = condition && compileMatcher(condition, { regex: compileRegex });
  return (object) => evaluateAcl(object, "read", subjects) && (matches === undefined || matches(object));
}
