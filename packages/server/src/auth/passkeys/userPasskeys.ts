import { isJsonObject, type JsonObject, type JsonValue, type ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import { newObjectId } from "../../data/objects/objectId.ts";
import { SYSTEM_CLASS_FIELDS } from "../../data/schema/systemClasses.ts";
import type { Write } from "../../database/store.ts";
import type { AuthDependencies } from "../authDependencies.ts";
import { hasSignInWithoutWallet, lockCredentials } from "../keepSignInMethod.ts";
import { MFA } from "../providers/mfa.ts";
import { UNIQUE_KEYS } from "../uniqueKeys.ts";
import { PasskeyCeremonies, type VerifiedPasskey } from "./ceremonies.ts";
import { passkeyError } from "./passkeyError.ts";
import { type Passkey, PasskeyRecords, parsePasskeyName } from "./passkeyRecords.ts";
import { createRelyingParty } from "./relyingParty.ts";

/** The name of passkeys whose users have not named them. */
export const DEFAULT_PASSKEY_NAME = "Passkey";

/** The passkeys of users. */
export class UserPasskeys {
  readonly ceremonies: PasskeyCeremonies;
  readonly #dependencies: AuthDependencies;
  /** The passkeys with which requests create accounts. */
  readonly #signUps = new WeakMap<RequestContext, VerifiedPasskey>();

  constructor(dependencies: AuthDependencies) {
    const { store, clock, config, schemaOf } = dependencies;
    this.#dependencies = dependencies;
    this.ceremonies = new PasskeyCeremonies({
      store,
      records: new PasskeyRecords({
        store,
        schema: () => schemaOf("_Passkey"),
        scope: UNIQUE_KEYS.passkey,
        clock,
      }),
      party: createRelyingParty({
        publicUrl: config.publicUrl(),
        domains: config.siweDomains,
        name: config.appName,
        id: config.passkeyRpId,
        origins: config.passkeyOrigins,
      }),
      clock,
      challengeSeconds: config.passkeyChallengeSeconds,
      challengeScope: UNIQUE_KEYS.passkeyChallenge,
      handlePrefix: "",
    });
  }

  /** The rules of `_Passkey`: operators may delete the passkeys of users, and all else is done by the routes. */
  rules(): ClassRules {
    const rejectWrite = () => {
      throw operationForbidden("Passkeys are changed through /passkeys.");
    };
    return {
      ...SYSTEM_CLASS_FIELDS._Passkey,
      beforeCreate: rejectWrite,
      beforeUpdate: rejectWrite,
      beforeDelete: (pending) => {
        const { credentialId } = pending.original ?? {};
        pending.additionalWrites.push(this.ceremonies.records.releaseWrite(String(credentialId)));
      },
    };
  }

  list(userId: string): Promise<Passkey[]> {
    return this.ceremonies.records.list(userId);
  }

  async hasAny(userId: string): Promise<boolean> {
    return (await this.list(userId)).length > 0;
  }

  /** The options for registering a passkey of a user. */
  async registrationOptions(userId: string): Promise<JsonObject> {
    const { store, schemaOf } = this.#dependencies;
    const found = await store.getSecret(schemaOf("_User"), userId);
    const user: JsonObject = found ? JSON.parse(found.text) : {};
    return this.ceremonies.registrationOptions({ id: userId, name: accountName(user, found?.secret ?? {}) });
  }

  /** The options for creating an account with a passkey; they contain the ID of the account. `name`: what the authenticator shows. */
  async signUpOptions(name: string): Promise<{ userId: string; options: JsonObject }> {
    const userId = newObjectId();
    return { userId, options: await this.ceremonies.registrationOptions({ id: userId, name }, "signup") };
  }

  /** Verifies the passkey with which a request creates an account, `{ userId, credential, name? }`. Throws 101. */
  async verifySignUp({ userId, credential, name }: JsonObject, request: RequestContext): Promise<string> {
    if (typeof userId !== "string") throw passkeyError("the ID of its account is missing");
    const passkeyName = parsePasskeyName(name, DEFAULT_PASSKEY_NAME);
    const verified = await this.ceremonies.verifyRegistration(userId, credential, passkeyName, "signup");
    this.#signUps.set(request, verified);
    return userId;
  }

  /** The verified passkey with which a request creates an account. */
  getSignUp(request: RequestContext): VerifiedPasskey | undefined {
    return this.#signUps.get(request);
  }

  /** Verifies a passkey as the second factor of a user. Throws 101. */
  verifyFactor(userId: string, proof: JsonValue | undefined): Promise<VerifiedPasskey> {
    return this.ceremonies.verify(proof, "factor", userId);
  }

  /**
   * Removes a passkey. Throws 119 for the only sign-in method of the account and for its only second factor; 159 if
   * another sign-in method is removed at the same time.
   */
  async remove(userId: string, id: string): Promise<void> {
    const { store, schemaOf } = this.#dependencies;
    const credentialsLock = await lockCredentials(store, userId);
    const passkey = await this.ceremonies.records.require(userId, id);
    const others = (await this.list(userId)).filter((each) => each.id !== id);
    if (others.length === 0) {
      const secret = (await store.getSecret(schemaOf("_User"), userId))?.secret ?? {};
      assertNotOnlyFactor(secret);
      const wallets = await store.getUniqueValues(UNIQUE_KEYS.address, userId);
      if (wallets.length === 0 && !hasSignInWithoutWallet(secret)) throw onlySignInMethod();
    }
    await store.write([...credentialsLock, ...this.ceremonies.records.removeWrites(passkey)]);
  }

  /** Writes that remove the passkeys of a deleted user. */
  async removalWrites(userId: string): Promise<Write[]> {
    return (await this.list(userId)).flatMap((passkey) => this.ceremonies.records.removeWrites(passkey));
  }
}

/**
 * Returns the name that the authenticator shows for the passkey. Users who signed up with a wallet have a random
 * username.
 */
function accountName({ email, username, ethAddress }: JsonObject, { passwordHash }: JsonObject): string {
  const names = passwordHash === undefined ? [email, ethAddress, username] : [email, username];
  const name = names.find((each) => typeof each === "string" && each !== "");
  return String(name ?? "").slice(0, 64);
}

/** Throws 119 if only passkeys are the second factor. */
function assertNotOnlyFactor({ authData }: JsonObject): void {
  const factor = isJsonObject(authData) ? authData[MFA] : undefined;
  if (!isJsonObject(factor) || factor.secret !== undefined) return;
  throw operationForbidden(
    "This passkey is the account's second factor: turn that off or add another passkey first.",
  );
}

function onlySignInMethod(): ProtocolError {
  return operationForbidden(
    "This is the account's only sign-in method: set a password, link a wallet or add another passkey first.",
  );
}
