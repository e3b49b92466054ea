import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { AuthAdapter } from "./adapter.ts";
import { createIssuerKeys } from "./issuerKeys.ts";

export interface OidcOptions {
  /** As in the tokens' `iss`; its keys are found by discovery. */
  issuer: string;
  /** Who the tokens have to be made for: `aud`. */
  clientIds: string[];
}

/** How far clocks may differ, in s. */
const TOLERANCE_S = 60;
const MAX_TOKEN = 16_384;
/** Signatures by keys that only the issuer has: neither none, nor one that everybody who reads the public key can make. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/**
 * Sign-in by an OpenID Connect provider: `{id, id_token}`, where the token is the issuer's, for one of our
 * clients, not expired, and `id` is its `sub` (OpenID Connect Core 1.0, section 3.1.3.7).
 */
export function oidcAdapter({ issuer, clientIds }: OidcOptions): AuthAdapter {
  const keysOf = createIssuerKeys(issuer, Date.now);

  async function verify(token: string): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(token, await keysOf(), {
      issuer,
      audience: clientIds,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ["sub", "exp", "iat"],
    });
    // Access tokens and logout tokens of the same issuer have types of their own.
    if (!isJwt(protectedHeader.typ)) throw new errors.JWTInvalid("the token is not an ID token");
    if (!isForUs(payload, clientIds)) {
      throw new errors.JWTClaimValidationFailed(
        'unexpected "azp" claim value',
        payload,
        "azp",
        "check_failed",
      );
    }
    if (Number(payload.iat) > Date.now() / 1000 + TOLERANCE_S) {
      throw new errors.JWTClaimValidationFailed('"iat" lies in the future', payload, "iat", "check_failed");
    }
    return payload;
  }

  return {
    async validateAuthData({ id, id_token: idToken, nonce }: JsonObject): Promise<JsonObject> {
      if (typeof id !== "string" || typeof idToken !== "string" || idToken.length > MAX_TOKEN) {
        throw refused("id and id_token must be texts");
      }
      let payload: JWTPayload;
      try {
        payload = await verify(idToken);
      } catch (error) {
        // Which check failed is the issuer's language; a token is never repeated.
        throw refused(error instanceof errors.JOSEError ? error.message : "the issuer could not be asked");
      }
      if (payload.sub !== id) throw refused("the token is somebody else's");
      if (nonce !== undefined && payload.nonce !== nonce) throw refused("the token is for another sign-in");
      return { id };
    },
  };
}

function isJwt(type: string | undefined): boolean {
  return type === undefined || /^(application\/)?jwt$/i.test(type);
}

/**
 * Whether a token was given to one of our clients. One that has others in its audience as well could have been given to
 * them: it has to name ours. (Where ours is alone, `azp` may be an app of the same project, as Google's tokens have it.)
 */
function isForUs({ aud, azp }: JWTPayload, clientIds: readonly string[]): boolean {
  const audience = Array.isArray(aud) ? aud : [aud];
  const isOurs = (client: unknown) => typeof client === "string" && clientIds.includes(client);
  return audience.every(isOurs) || isOurs(azp);
}

function refused(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `The sign-in was refused: ${reason.slice(0, 200)}.`);
}
