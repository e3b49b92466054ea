import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { AccessGrant } from "../../components/AccessList.tsx";

/** Undefined without an ACL (public read and write). */
export function parseAcl(value: JsonValue | undefined): AccessGrant[] | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([who, rights]) => ({
    who,
    read: isJsonObject(rights) && rights.read === true,
    write: isJsonObject(rights) && rights.write === true,
  }));
}

/** Entries without permissions are omitted. */
export function buildAcl(entries: readonly AccessGrant[]): JsonObject {
  return Object.fromEntries(
    entries
      .filter(({ read, write }) => read || write)
      .map(({ who, read, write }) => [who, { ...(read && { read }), ...(write && { write }) }]),
  );
}
