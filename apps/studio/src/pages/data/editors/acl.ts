import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** An entry of an ACL. */
export interface AclEntry {
  /** `*`, `role:NAME` or a user id. */
  subject: string;
  read: boolean;
  write: boolean;
}

/** Undefined without an ACL (public read and write). */
export function parseAcl(value: JsonValue | undefined): AclEntry[] | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([subject, rights]) => ({
    subject,
    read: isJsonObject(rights) && rights.read === true,
    write: isJsonObject(rights) && rights.write === true,
  }));
}

/** Entries without permissions are omitted. */
export function buildAcl(entries: readonly AclEntry[]): JsonObject {
  return Object.fromEntries(
    entries
      .filter(({ read, write }) => read || write)
      .map(({ subject, read, write }) => [subject, { ...(read && { read }), ...(write && { write }) }]),
  );
}
