import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { type PendingWrite, setValueOf } from "../data/objects/pendingWrite.ts";
import { idOf, type VerifiedIdentity } from "./providers/authProviders.ts";
import { MFA } from "./providers/mfa.ts";
import { WALLET_PROVIDER } from "./wallets.ts";

/**
 * Finds the changes of beforeSave triggers to the authData of a user. They are not verified again, because cloud code
 * is code of the operator. Wallets and second factors are excluded, as only their owner can prove them.
 */
export class TriggerAuthData {
  readonly #requested = new WeakMap<PendingWrite, JsonObject>();

  /** Remembers what the client has sent, before triggers run. */
  remember(pending: PendingWrite): void {
    const authData = setValueOf(pending, "authData");
    if (isJsonObject(authData)) this.#requested.set(pending, structuredClone(authData));
  }

  /** The providers whose authData triggers have set, with the new values. */
  changesOf(pending: PendingWrite, authData: JsonValue | undefined): Map<string, JsonObject> {
    const requested = this.#requested.get(pending) ?? {};
    const changes = new Map<string, JsonObject>();
    for (const [provider, value] of Object.entries(isJsonObject(authData) ? authData : {})) {
      if (provider === MFA || provider === WALLET_PROVIDER || !isJsonObject(value)) continue;
      if (!isDeepStrictEqual(requested[provider], value)) changes.set(provider, value);
    }
    return changes;
  }

  /** The identities of a new user: those that the client has proved, as triggers have left them. */
  identitiesOf(
    pending: PendingWrite,
    authData: JsonValue | undefined,
    verified: readonly VerifiedIdentity[],
  ): VerifiedIdentity[] {
    const requested = this.#requested.get(pending) ?? {};
    const left: JsonObject = isJsonObject(authData) ? authData : {};
    const changes = this.changesOf(pending, authData);
    const kept = verified.filter(
      ({ provider }) =>
        !changes.has(provider) && (Object.hasOwn(left, provider) || !Object.hasOwn(requested, provider)),
    );
    return [...kept, ...[...changes].map(([provider, stored]) => trustedIdentity(provider, stored))];
  }
}

/** An identity that cloud code vouches for. */
export function trustedIdentity(provider: string, stored: JsonObject): VerifiedIdentity {
  return { provider, id: idOf(stored), stored, response: undefined };
}
