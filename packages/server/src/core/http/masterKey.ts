import { createHash, timingSafeEqual } from "node:crypto";
import { type AuthContext, MAINTENANCE, MASTER, READ_ONLY_MASTER } from "../authContext.ts";
import { createAddressMatcher } from "./address.ts";

export interface MasterKeyOptions {
  masterKey: string;
  /** Grants read-only access to everything; undefined for no such key. */
  readOnlyMasterKey?: string | undefined;
  /** Addresses and ranges that may use the keys; `*` allows all. */
  masterKeyIps: readonly string[];
}

export interface MaintenanceKeyOptions {
  /** Undefined for no such key. */
  maintenanceKey?: string | undefined;
  maintenanceKeyIps: readonly string[];
}

/** Verifies a key sent from an address. Returns undefined if it is wrong or not allowed from there. */
export type VerifyMasterKey = (key: string, ip: string) => AuthContext | undefined;

/** Longer texts are never valid keys. */
const MAX_KEY_LENGTH = 4_096;

/** Creates a verifier of the maintenance key, which verifies none if the server has none. */
export function createMaintenanceKeyVerifier({
  maintenanceKey,
  maintenanceKeyIps,
}: MaintenanceKeyOptions): VerifyMasterKey {
  if (maintenanceKey === undefined) return () => undefined;
  const verify = createMasterKeyVerifier({ masterKey: maintenanceKey, masterKeyIps: maintenanceKeyIps });
  return (key, ip) => verify(key, ip) && MAINTENANCE;
}

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

/** Whether a header, by its name in lower case, is a key of the operator, which no code may see. */
export function isOperatorKey(name: string): boolean {
  return name === "x-parse-master-key" || name === "x-parse-maintenance-key";
}

/** The headers of a request that code of the operator may see: all but the operator's keys. */
export function withoutOperatorKeys<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  const { "x-parse-master-key": _, "x-parse-maintenance-key": __, ...others } = headers;
  return others;
}
