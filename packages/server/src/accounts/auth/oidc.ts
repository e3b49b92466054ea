import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import type { AuthAdapter } from "./adapter.ts";

export interface OidcOptions {
  /** As in the tokens' `iss`; its keys are found by discovery. */
  issuer: string;
  /** Who the tokens have to be made for: `aud`. */
  clientIds: string[];
}

/** How long the issuer may take to answer, in ms. */
const TIMEOUT_MS = 5_000;
/** How far clocks may differ, in s. */
const TOLERANCE_S = 60;
const MAX_DOCUMENT = 64 * 1024;
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/**
 * Sign-in by an OpenID Connect provider: `{id, id_token}`, where the token is the issuer's, for one of our
 * clients, not expired, and `id` is its `sub` (OpenID Connect Core 1.0, section 3.1.3.7).
 */
export function oidcAdapter({ issuer, clientIds }: OidcOptions): AuthAdapter {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;

  async function discover(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const url = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    const text = await answer.text();
    if (!answer.ok || text.length > MAX_DOCUMENT) throw new Error(`${url} answered ${answer.status}`);
    const document: { issuer?: unknown; jwks_uri?: unknown } = JSON.parse(text);
    if (document.issuer !== issuer || typeof document.jwks_uri !== "string") {
      throw new Error(`${url} is not the configuration of ${issuer}`);
    }
    return createRemoteJWKSet(new URL(document.jwks_uri), { timeoutDuration: TIMEOUT_MS });
  }

  async function verify(token: string): Promise<JWTPayload> {
    keys ??= discover();
    const found = await keys.catch((error: unknown) => {
      // The next one asks again.
      keys = undefined;
      throw error;
    });
    const { payload } = await jwtVerify(token, found, {
      issuer,
      audience: clientIds,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ["sub", "exp", "iat"],
    });
    return payload;
  }

  return {
    async validateAuthData({ id, id_token: idToken, nonce }: JsonObject): Promise<JsonObject> {
      if (typeof id !== "string" || typeof idToken !== "string" || idToken.length > 16_384) {
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

function refused(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `The sign-in was refused: ${reason.slice(0, 200)}.`);
}
