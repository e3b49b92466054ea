import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { ClientData } from "./parseResponses.ts";
import { passkeyError } from "./passkeyError.ts";
import type { NewPasskey, Passkey, PasskeyUse } from "./passkeyRecords.ts";
import { allowsOrigin, type RelyingParty } from "./relyingParty.ts";

/** Signature algorithms of COSE: EdDSA, ES256 and RS256. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];

/** The library is loaded with the first passkey: it takes memory, and a part of the time of a start. */
const library = () => import("@simplewebauthn/server");

/** Verifies a registration whose challenge has been checked. User verification is required. Throws 101. */
export async function verifyRegistration(
  response: RegistrationResponseJSON,
  { challenge, origin }: ClientData,
  party: RelyingParty,
): Promise<Omit<NewPasskey, "owner" | "name">> {
  assertOrigin(origin, party);
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await refuse(
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    }),
  );
  if (!registrationInfo) throw passkeyError("its attestation is not valid");
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (credential.id !== response.id)
    throw passkeyError("its ID is not the one that the authenticator signed");
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    isSyncable: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
  };
}

/**
 * Verifies the signature of a passkey whose challenge has been checked. The signature counter must have grown, unless
 * the authenticator has none. Throws 101.
 */
export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  { challenge, origin }: ClientData,
  passkey: Passkey,
  party: RelyingParty,
  requiresUserVerification: boolean,
): Promise<PasskeyUse> {
  assertOrigin(origin, party);
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await refuse(
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: party.id,
      requireUserVerification: requiresUserVerification,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
        counter: passkey.counter,
      },
    }),
  );
  if (!verified) throw passkeyError("its signature is not valid");
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  return {
    counter: newCounter,
    isSyncable: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
  };
}

function assertOrigin(origin: string, party: RelyingParty): void {
  if (!allowsOrigin(party, origin)) throw passkeyError("it was used on another site");
}

/** The library throws plain errors for invalid input, whose messages may repeat the input. */
async function refuse<T>(verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    throw passkeyError(reasonOf(error instanceof Error ? error.message : ""));
  }
}

function reasonOf(message: string): string {
  if (/RP ?ID/i.test(message)) return "it belongs to another site";
  if (/counter/i.test(message)) return "its counter has not grown: it may have been copied";
  if (/verification|verified|not present/i.test(message)) return "its user was not verified";
  return "its signature is not valid";
}
