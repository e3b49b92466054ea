import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** Who may do what, one row of an ACL each. */
export interface AclEntry {
  /** `*`, `role:NAME`, or the id of a user. */
  subject: string;
  read: boolean;
  write: boolean;
}

/** Undefined where there is no ACL: anyone reads and writes. */
export function parseAcl(value: JsonValue | undefined): AclEntry[] | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([subject, rights]) => ({
    subject,
    read: isJsonObject(rights) && rights.read === true,
    write: isJsonObject(rights) && rights.write === true,
  }));
}

/** Who may do nothing is left out. */
export function buildAcl(entries: readonly AclEntry[]): JsonObject {
  return Object.fromEntries(
    entries
      .filter(({ read, write }) => read || write)
      .map(({ subject, read, write }) => [subject, { ...(read && { read }), ...(write && { write }) }]),
  );
}
