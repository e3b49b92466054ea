import { timingSafeEqual } from "node:crypto";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { Store, UniqueConstraintError, Write } from "../../database/store.ts";
import {
  type AssertionPurpose,
  type ChallengeScope,
  PasskeyChallenges,
  type RegistrationPurpose,
} from "./challenges.ts";
import { parseAssertion, parseClientData, parseRegistration } from "./parseResponses.ts";
import { passkeyError } from "./passkeyError.ts";
import { MAX_PASSKEYS, type Passkey, type PasskeyRecords } from "./passkeyRecords.ts";
import type { RelyingParty } from "./relyingParty.ts";
import { PASSKEY_ALGORITHMS, verifyAssertion, verifyRegistration } from "./verify.ts";

export interface PasskeyCeremonyOptions {
  store: Pick<Store, "write" | "getUniqueOwner">;
  records: PasskeyRecords;
  party: RelyingParty;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Time to answer a challenge, in seconds. */
  challengeSeconds: number;
  /** Scope of the stored challenges. */
  challengeScope: string;
  /** Prefix of the account IDs in passkeys: authenticators keep one passkey for each ID and domain. */
  handlePrefix: string;
}

/** An account for which a passkey is registered. */
export interface PasskeyAccount {
  id: string;
  /** The name that the authenticator shows for the passkey. */
  name: string;
}

/** A passkey that has signed a challenge, with the writes that record the use and consume the challenge. */
export interface VerifiedPasskey {
  passkey: Passkey;
  writes: Write[];
}

/** The ceremonies of WebAuthn for the accounts of one kind: their options for browsers, and their verification. */
export class PasskeyCeremonies {
  readonly records: PasskeyRecords;
  readonly #options: PasskeyCeremonyOptions;
  readonly #challenges: PasskeyChallenges;

  constructor(options: PasskeyCeremonyOptions) {
    this.#options = options;
    this.records = options.records;
    this.#challenges = new PasskeyChallenges({
      store: options.store,
      clock: options.clock,
      lifetimeSeconds: options.challengeSeconds,
      scope: options.challengeScope,
    });
  }

  /**
   * The options of `navigator.credentials.get()` as JSON. They name no account: the browser offers the passkeys that it
   * has. Signing in requires that the authenticator verifies its user.
   */
  async assertionOptions(purpose: AssertionPurpose): Promise<JsonObject> {
    return {
      challenge: await this.#challenges.issue({ purpose }),
      rpId: this.#options.party.id,
      timeout: this.#options.challengeSeconds * 1000,
      userVerification: purpose === "login" ? "required" : "preferred",
      allowCredentials: [],
    };
  }

  /** The options of `navigator.credentials.create()` as JSON. Throws 119 if the account has too many passkeys. */
  async registrationOptions(
    { id, name }: PasskeyAccount,
    purpose: RegistrationPurpose = "register",
  ): Promise<JsonObject> {
    const known = await this.records.list(id);
    if (known.length >= MAX_PASSKEYS) throw tooManyPasskeys();
    const { party, challengeSeconds } = this.#options;
    return {
      challenge: await this.#challenges.issue({ purpose, account: id }),
      rp: { id: party.id, name: party.name },
      user: { id: this.#handleOf(id).toString("base64url"), name, displayName: name },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      timeout: challengeSeconds * 1000,
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId,
        type: "public-key",
        transports,
      })),
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
      attestation: "none",
    };
  }

  /** Verifies a new passkey of an account, and returns the writes that store it. Throws 101. */
  async verifyRegistration(
    accountId: string,
    value: JsonValue | undefined,
    name: string,
    purpose: RegistrationPurpose = "register",
  ): Promise<VerifiedPasskey> {
    const response = parseRegistration(value);
    const clientData = parseClientData(response.response.clientDataJSON);
    const scope: ChallengeScope = { purpose, account: accountId };
    await this.#challenges.assertIssued(clientData.challenge, scope);
    const verified = await verifyRegistration(response, clientData, this.#options.party);
    if ((await this.records.list(accountId)).length >= MAX_PASSKEYS) throw tooManyPasskeys();
    const { passkey, writes } = this.records.create({ ...verified, owner: accountId, name });
    return { passkey, writes: [...writes, ...this.#challenges.consume(clientData.challenge, scope)] };
  }

  /** The passkey that a response claims to be of, before it is verified. Throws 101. */
  async identify(value: JsonValue | undefined): Promise<Passkey> {
    const { id } = parseAssertion(value);
    const passkey = await this.records.findByCredential(id);
    if (!passkey) throw passkeyError("it is not registered here");
    return passkey;
  }

  /** Verifies the signature of a passkey. Throws 101, also if it belongs to another account than `owner`. */
  async verify(
    value: JsonValue | undefined,
    purpose: AssertionPurpose,
    owner?: string,
  ): Promise<VerifiedPasskey> {
    const response = parseAssertion(value);
    const passkey = await this.identify(value);
    if (owner !== undefined && passkey.owner !== owner) throw passkeyError("it belongs to another account");
    this.#assertHandle(response.response.userHandle, passkey, purpose);
    const clientData = parseClientData(response.response.clientDataJSON);
    const scope: ChallengeScope = { purpose };
    await this.#challenges.assertIssued(clientData.challenge, scope);
    const use = await verifyAssertion(
      response,
      clientData,
      passkey,
      this.#options.party,
      purpose === "login",
    );
    return {
      passkey,
      writes: [
        ...this.records.useWrites(passkey, use),
        ...this.#challenges.consume(clientData.challenge, scope),
      ],
    };
  }

  /** The error of a challenge that has been used, or of a credential that is registered already. */
  conflictError({ scope }: UniqueConstraintError): ProtocolError | undefined {
    if (scope === this.#challenges.scope) return passkeyError("its challenge has been used already");
    if (scope === this.records.scope)
      return new ProtocolError(ErrorCode.ACCOUNT_ALREADY_LINKED, "This passkey is already registered.");
    return undefined;
  }

  #handleOf(accountId: string): Buffer {
    return Buffer.from(`${this.#options.handlePrefix}${accountId}`, "utf8");
  }

  /** Throws 101 if the passkey was created for another account. Sign-ins must name the account. */
  #assertHandle(handle: string | undefined, { owner }: Passkey, purpose: AssertionPurpose): void {
    if (handle === undefined && purpose !== "login") return;
    const sent = Buffer.from(handle ?? "", "base64url");
    const expected = this.#handleOf(owner);
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
      throw passkeyError("it belongs to another account");
  }
}

function tooManyPasskeys(): ProtocolError {
  return operationForbidden(`An account has ${MAX_PASSKEYS} passkeys at most: remove one first.`);
}
