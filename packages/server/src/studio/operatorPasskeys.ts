import type { JsonObject, JsonValue } from "@purse/protocol";
import { PasskeyCeremonies } from "../auth/passkeys/ceremonies.ts";
import { type Passkey, parsePasskeyName } from "../auth/passkeys/passkeyRecords.ts";
import type { RelyingParty } from "../auth/passkeys/relyingParty.ts";
import { UniqueConstraintError, type Write } from "../database/store.ts";
import type { StudioOperator, StudioPasskey } from "../studioApi/access.ts";
import { operatorPasskeyRecords } from "./operatorPasskeyRecords.ts";
import type { OperatorDependencies } from "./operators.ts";

const CHALLENGE_SCOPE = "_Studio.passkeyChallenge";
const DEFAULT_NAME = "Passkey";

export interface OperatorPasskeyDependencies extends OperatorDependencies {
  party: RelyingParty;
  /** Time to answer a challenge, in seconds. */
  challengeSeconds: number;
}

/** The passkeys of operators, separate from those of application users. */
export class OperatorPasskeys {
  readonly #dependencies: OperatorPasskeyDependencies;
  readonly #ceremonies: PasskeyCeremonies;

  constructor(dependencies: OperatorPasskeyDependencies) {
    const { store, clock, party, challengeSeconds } = dependencies;
    this.#dependencies = dependencies;
    this.#ceremonies = new PasskeyCeremonies({
      store,
      records: operatorPasskeyRecords(dependencies),
      party,
      clock,
      challengeSeconds,
      challengeScope: CHALLENGE_SCOPE,
      handlePrefix: "operator:",
    });
  }

  /** The options for signing in, or for proving a second factor. */
  options(purpose: "login" | "factor"): Promise<JsonObject> {
    return this.#ceremonies.assertionOptions(purpose);
  }

  /** The options for registering a passkey. */
  registrationOptions({ id, username }: StudioOperator): Promise<JsonObject> {
    return this.#ceremonies.registrationOptions({ id, name: username });
  }

  async list(operatorId: string): Promise<StudioPasskey[]> {
    return (await this.#ceremonies.records.list(operatorId)).map(toStudioPasskey);
  }

  /** Stores a new passkey. Throws 101 if it is refused, 142 for an invalid name, 208 if it is registered already. */
  async register(
    operatorId: string,
    credential: JsonValue,
    name: JsonValue | undefined,
  ): Promise<StudioPasskey> {
    const { passkey, writes } = await this.#ceremonies.verifyRegistration(
      operatorId,
      credential,
      parsePasskeyName(name, DEFAULT_NAME),
    );
    await this.#commit(writes);
    return toStudioPasskey(passkey);
  }

  async rename(operatorId: string, id: string, name: string): Promise<StudioPasskey> {
    const passkey = await this.#ceremonies.records.require(operatorId, id);
    const renamed = { ...passkey, name: parsePasskeyName(name, passkey.name) };
    await this.#ceremonies.records.rename(passkey, renamed.name);
    return toStudioPasskey(renamed);
  }

  /** Returns the name of the removed passkey. */
  async remove(operatorId: string, id: string): Promise<string> {
    const passkey = await this.#ceremonies.records.require(operatorId, id);
    await this.#dependencies.store.write(this.#ceremonies.records.removeWrites(passkey));
    return passkey.name;
  }

  /** The ID of the operator whose passkey it claims to be, before it is verified. Throws 101. */
  async identify(assertion: JsonValue): Promise<string> {
    return (await this.#ceremonies.identify(assertion)).owner;
  }

  /** Verifies a passkey of an operator, and consumes its challenge. Throws 101. */
  async use(operatorId: string, purpose: "login" | "factor", assertion: JsonValue): Promise<void> {
    const { writes } = await this.#ceremonies.verify(assertion, purpose, operatorId);
    await this.#commit(writes);
  }

  async #commit(writes: Write[]): Promise<void> {
    try {
      await this.#dependencies.store.write(writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw this.#ceremonies.conflictError(error) ?? error;
    }
  }
}

function toStudioPasskey(passkey: Passkey): StudioPasskey {
  const { id, name, createdAt, lastUsedAt, isSyncable, isBackedUp } = passkey;
  return { id, name, createdAt, ...(lastUsedAt !== undefined && { lastUsedAt }), isSyncable, isBackedUp };
}
