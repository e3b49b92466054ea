import { randomBytes } from "node:crypto";

/**
 * A random secret of `bytes` bytes in base64url, for keys and passwords that are used on command lines. It never starts
 * with "-", which a command line would parse as an option.
 */
export function createSecret(bytes: number): string {
  return randomBytes(bytes).toString("base64url").replace(/^-/, "_");
}
