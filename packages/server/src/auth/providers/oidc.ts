import type { JsonObject } from "@purse/protocol";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { AuthAdapter, AuthResult } from "./adapter.ts";
import { createIssuerKeys } from "./issuerKeys.ts";
import { signInError } from "./signInError.ts";

export interface OidcOptions {
  /** The `iss` of the tokens; its keys are found by discovery. */
  issuer: string;
  /** Other spellings of the issuer in tokens. */
  otherIssuers?: readonly string[];
  /** Accepted audiences (`aud`). */
  clientIds: string[];
  /** Whether a token is accepted that was issued to another app of the project (`azp`) for one of our clients. */
  acceptsOtherParties?: boolean;
}

/** Tolerated clock difference, in seconds. */
const CLOCK_TOLERANCE_S = 60;
const MAX_TOKEN_LENGTH = 16_384;
/** Asymmetric algorithms only: neither `none`, nor HMAC, which anyone could compute with the public key. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/**
 * Sign-in with an OpenID Connect provider: `{id, id_token}`, where the token was issued by the issuer for one of our
 * clients, has not expired, and its `sub` is `id` (OpenID Connect Core 1.0, section 3.1.3.7). SDKs of Apple and Facebook
 * call it `token`.
 */
export function oidcAdapter(
  { issuer, otherIssuers = [], clientIds, acceptsOtherParties = false }: OidcOptions,
  keysOf = createIssuerKeys(issuer, Date.now),
): AuthAdapter {
  async function verify(token: string): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(token, await keysOf(), {
      issuer: [issuer, ...otherIssuers],
      audience: clientIds,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ["sub", "exp", "iat"],
    });
    // Access tokens and logout tokens of the same issuer have other types.
    if (!isJwt(protectedHeader.typ)) throw new errors.JWTInvalid("the token is not an ID token");
    if (!acceptsOtherParties && !isIssuedToUs(payload, clientIds)) {
      throw new errors.JWTClaimValidationFailed(
        'unexpected "azp" claim value',
        payload,
        "azp",
        "check_failed",
      );
    }
    if (Number(payload.iat) > Date.now() / 1000 + CLOCK_TOLERANCE_S) {
      throw new errors.JWTClaimValidationFailed('"iat" is in the future', payload, "iat", "check_failed");
    }
    return payload;
  }

  return {
    async validateAuthData({ id, id_token, token, nonce }: JsonObject): Promise<AuthResult> {
      const idToken = id_token ?? token;
      if (typeof id !== "string" || typeof idToken !== "string" || idToken.length > MAX_TOKEN_LENGTH) {
        throw signInError("id and id_token must be strings");
      }
      let payload: JWTPayload;
      try {
        payload = await verify(idToken);
      } catch (error) {
        // JOSE messages name the failed check and never contain the token.
        throw signInError(
          error instanceof errors.JOSEError ? error.message : "the issuer could not be reached",
        );
      }
      if (payload.sub !== id) throw signInError("the token belongs to another user");
      if (nonce !== undefined && payload.nonce !== nonce)
        throw signInError("the token is for another sign-in");
      return { stored: { id } };
    },
  };
}

function isJwt(type: string | undefined): boolean {
  return type === undefined || /^(application\/)?jwt$/i.test(type);
}

/**
 * Whether a token was issued to one of our clients: its `azp`, if it has one, or else all of its audience (OpenID Connect Core
 * 1.0, section 3.1.3.7, steps 3 to 5). Apps of one project whose tokens name the server's client as the audience, such as
 * Google's for Android, are clients of ours only if they are listed.
 */
function isIssuedToUs({ aud, azp }: JWTPayload, clientIds: readonly string[]): boolean {
  const isOurClient = (client: unknown) => typeof client === "string" && clientIds.includes(client);
  if (azp !== undefined) return isOurClient(azp);
  return (Array.isArray(aud) ? aud : [aud]).every(isOurClient);
}
