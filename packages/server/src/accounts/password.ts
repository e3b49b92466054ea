import { hash, verify } from "@node-rs/argon2";
import { verify as verifyBcrypt } from "@node-rs/bcrypt";
import { ErrorCode, ProtocolError } from "@purse/protocol";

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. Hashing runs off the main thread. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_BYTES = 1_024;

/** Verified where there is no user, so that the answer takes as long as for one. */
const NOBODY = hash("a password that nobody has", PARAMETERS);

/** Throws 142 for a password that is too long to be one. */
export function hashPassword(password: string): Promise<string> {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `A password takes ${MAX_BYTES} bytes at most`);
  }
  return hash(password, PARAMETERS);
}

/** Takes the same time whether or not there is a hash to compare with. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  if (Buffer.byteLength(password) > MAX_BYTES) return false;
  const hash = passwordHash ?? (await NOBODY);
  const matches = await (isBcrypt(hash) ? verifyBcrypt(password, hash) : verify(hash, password));
  return matches && passwordHash !== undefined;
}

/** Whether a hash comes from another server: at the next log-in it is made anew. */
export function isBcrypt(passwordHash: string): boolean {
  return /^\$2[abxy]?\$/.test(passwordHash);
}
