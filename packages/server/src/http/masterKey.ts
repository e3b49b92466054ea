import { createHash, timingSafeEqual } from "node:crypto";
import { type AuthContext, MASTER, READ_ONLY_MASTER } from "../authContext.ts";
import { createAddressMatcher } from "./address.ts";

export interface MasterKeyParts {
  masterKey: string;
  /** Lets see everything and change nothing; without one there is no such key. */
  readOnlyMasterKey: string | undefined;
  /** Addresses and ranges that may use them; `*` stands for all. */
  masterKeyIps: readonly string[];
}

/** Who a key makes its bearer, from an address; undefined where it is wrong or may not be used there. */
export type JudgeKey = (key: string, ip: string) => AuthContext | undefined;

/** Longer texts are no keys of anybody. */
const MAX_KEY_LENGTH = 4_096;

/** Compares in the same time whatever the key. */
export function createJudgeKey({ masterKey, readOnlyMasterKey, masterKeyIps }: MasterKeyParts): JudgeKey {
  const isAllowed = createAddressMatcher(masterKeyIps);
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const master = digest(masterKey);
  const readOnly = readOnlyMasterKey === undefined ? undefined : digest(readOnlyMasterKey);
  return (key, ip) => {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const given = digest(key);
    const isMaster = timingSafeEqual(given, master);
    const isReadOnly = readOnly !== undefined && timingSafeEqual(given, readOnly);
    if (!isAllowed(ip)) return undefined;
    return isMaster ? MASTER : isReadOnly ? READ_ONLY_MASTER : undefined;
  };
}
