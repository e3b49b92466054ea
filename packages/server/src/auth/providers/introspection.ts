import { type JsonObject, ProtocolError } from "@purse/protocol";
import type { IntrospectionOptions } from "../../config/builtInAuth.ts";
import type { AuthAdapter } from "./adapter.ts";
import { type FetchJson, fetchJson } from "./fetchJson.ts";
import { signInError } from "./signInError.ts";

const MAX_LENGTH = 8_192;

/** Sign-in with an access token that its server confirms (OAuth 2.0 Token Introspection, RFC 7662): `{id, access_token}`. */
export function introspectionAdapter(
  options: IntrospectionOptions,
  request: FetchJson = fetchJson,
): AuthAdapter {
  async function introspect(token: string): Promise<JsonObject> {
    try {
      return await request({
        url: options.tokenIntrospectionEndpointUrl,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          ...(options.authorizationHeader !== undefined && { authorization: options.authorizationHeader }),
        },
        body: new URLSearchParams({ token }).toString(),
      });
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw signInError("the token could not be confirmed");
    }
  }

  return {
    async validateAuthData({ id, access_token: token }) {
      if (typeof token !== "string" || token === "" || token.length > MAX_LENGTH)
        throw signInError("access_token must be a string");
      const { active, ...claims } = await introspect(token);
      if (active !== true) throw signInError("the token is not active");
      if (String(claims[options.useridField]) !== String(id))
        throw signInError("the token belongs to another user");
      if (options.appidField !== undefined) {
        const apps = [claims[options.appidField]].flat();
        if (!apps.some((app) => options.appIds.includes(String(app))))
          throw signInError("the token is for another app");
      }
      return { stored: { id: String(id) } };
    },
  };
}
