import { ErrorCode, type JsonObject, type JsonValue, MAX_EMAIL_LENGTH, ProtocolError } from "@purse/protocol";
import type { ApiRequest } from "../core/http/apiRoute.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { assertNotDisabled, wrongCredentials } from "./disabledUsers.ts";
import { ImportedHashes } from "./importedHashes.ts";
import type { Lockout } from "./lockout.ts";
import { assertPasswordNotExpired } from "./passwordPolicy.ts";
import { hasFactor } from "./secondFactor.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";

/** The user of a verified name and password. */
export interface VerifiedCredentials {
  owner: string;
  user: JsonObject;
  /** Key that failed attempts are counted by. */
  lockoutKey: string;
  secret: JsonObject;
  /** Whether the account also requires a second-factor code. */
  needsCode: boolean;
}

/** Creates the check of a username or email address with a password. */
export function createCredentialCheck(
  dependencies: AuthDependencies,
  lockout: Lockout,
): (request: ApiRequest) => Promise<VerifiedCredentials> {
  const { store, schemaOf, limits, passwords } = dependencies;
  const importedHashes = new ImportedHashes(store);
  return verifyCredentials;

  /** Verifies a username or email address and a password. Known and unknown names take the same time. */
  async function verifyCredentials(request: ApiRequest): Promise<VerifiedCredentials> {
    const { password } = request.params;
    const [username, email] = [request.params.username || undefined, request.params.email || undefined];
    if (username === undefined && email === undefined) {
      throw new ProtocolError(ErrorCode.USERNAME_MISSING, "username/email is required.");
    }
    if (password === undefined || password === null || password === "") {
      throw new ProtocolError(ErrorCode.PASSWORD_MISSING, "password is required.");
    }
    if (!isName(username) || !isName(email) || typeof password !== "string") throw wrongCredentials();
    const name = username ?? email ?? "";
    const owner = await ownerOf(username, email);
    // Attempts with the username and with the email address are counted together.
    const lockoutKey = owner ?? foldName(name);
    // Counted before the password is verified, so that concurrent guesses count too.
    const refund = await limits.countAddress("failedLogIn", request);
    await lockout.assertUnlocked(lockoutKey);
    const found = owner === undefined ? undefined : await store.getSecret(schemaOf("_User"), owner);
    const secret = found?.secret ?? {};
    const hash = typeof secret.passwordHash === "string" ? secret.passwordHash : undefined;
    const isCorrect = await passwords.verify(hash, password, request);
    if (!isCorrect || owner === undefined || !found) {
      await importedHashes.completeFailure(hash, password, passwords, request);
      await lockout.countFailure(lockoutKey);
      throw wrongCredentials();
    }
    // Concurrent wrong guesses may have locked the account while this password was being verified.
    await lockout.assertUnlocked(lockoutKey);
    const user: JsonObject = JSON.parse(found.text);
    assertNotDisabled(user);
    await refund();
    assertPasswordNotExpired(secret, dependencies.config.policy, dependencies.clock());
    const needsCode = hasFactor(secret.authData);
    return { owner, user, lockoutKey, secret, needsCode };
  }

  /** The user with a name and an email address. A name alone may also be the email address of a user. */
  async function ownerOf(
    username: string | undefined,
    email: string | undefined,
  ): Promise<string | undefined> {
    const byName = username && (await store.getUniqueOwner(UNIQUE_KEYS.username, foldName(username)));
    if (byName && email === undefined) return byName;
    const byEmail = await store.getUniqueOwner(UNIQUE_KEYS.email, foldName(email ?? username ?? ""));
    if (username === undefined || email === undefined) return byEmail;
    return byName === byEmail ? byEmail : undefined;
  }
}

/** Whether a user may have such a name or email address: if not, there is nothing to compare or to count. */
function isName(value: JsonValue | undefined): value is string | undefined {
  return value === undefined || (typeof value === "string" && value.length <= MAX_EMAIL_LENGTH);
}
