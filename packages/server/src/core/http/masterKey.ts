import { createHash, timingSafeEqual } from "node:crypto";
import { type AuthContext, MASTER, READ_ONLY_MASTER } from "../authContext.ts";
import { createAddressMatcher } from "./address.ts";

export interface MasterKeyOptions {
  masterKey: string;
  /** Grants read-only access to everything; undefined for no such key. */
  readOnlyMasterKey?: string | undefined;
  /** Addresses and ranges that may use the keys; `*` allows all. */
  masterKeyIps: readonly string[];
}

/** Verifies a key sent from an address. Returns undefined if it is wrong or not allowed from there. */
export type VerifyMasterKey = (key: string, ip: string) => AuthContext | undefined;

/** Longer texts are never valid keys. */
const MAX_KEY_LENGTH = 4_096;

/** Creates a verifier that compares in constant time. */
export function createMasterKeyVerifier({
  masterKey,
  readOnlyMasterKey,
  masterKeyIps,
}: MasterKeyOptions): VerifyMasterKey {
  const isAllowed = createAddressMatcher(masterKeyIps);
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const master = digest(masterKey);
  const readOnly = readOnlyMasterKey === undefined ? undefined : digest(readOnlyMasterKey);
  return (key, ip) => {
    if (key.length > MAX_KEY_LENGTH) return undefined;
    const keyDigest = digest(key);
    const isMaster = timingSafeEqual(keyDigest, master);
    const isReadOnly = readOnly !== undefined && timingSafeEqual(keyDigest, readOnly);
    if (!isAllowed(ip)) return undefined;
    return isMaster ? MASTER : isReadOnly ? READ_ONLY_MASTER : undefined;
  };
}
