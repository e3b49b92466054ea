import { errors, type JWTPayload, jwtVerify } from "jose";
import type { AuthAdapter } from "./adapter.ts";
import { createIssuerKeys } from "./issuerKeys.ts";
import { signInError } from "./signInError.ts";

const MAX_TOKEN_LENGTH = 16_384;

/**
 * Sign-in with an access token of Keycloak for one of our clients: `{id, access_token}`, with `roles` and `groups` equal to
 * those of the token if they are sent, because they are stored.
 */
export function keycloakAdapter(
  { issuer, clientId }: { issuer: string; clientId: string },
  keysOf = createIssuerKeys(issuer, Date.now),
): AuthAdapter {
  async function verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, await keysOf(), {
        issuer,
        algorithms: ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512"],
        requiredClaims: ["sub", "exp"],
      });
      return payload;
    } catch (error) {
      throw signInError(error instanceof errors.JOSEError ? error.message : "Keycloak could not be reached");
    }
  }

  return {
    async validateAuthData({ id, access_token: token, roles, groups }) {
      if (typeof id !== "string" || typeof token !== "string" || token.length > MAX_TOKEN_LENGTH)
        throw signInError("id and access_token must be strings");
      const payload = await verify(token);
      if (payload.azp !== clientId) throw signInError("the token is for another client");
      if (payload.sub !== id) throw signInError("the token belongs to another user");
      for (const [name, sent] of Object.entries({ roles, groups })) {
        if (sent !== undefined && setText(sent) !== setText(payload[name]))
          throw signInError(`${name} are not those of the token`);
      }
      return {
        stored: { id, ...(roles !== undefined && { roles }), ...(groups !== undefined && { groups }) },
      };
    },
  };
}

/** A list as text that does not depend on its order. */
function setText(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : (value ?? null));
}
