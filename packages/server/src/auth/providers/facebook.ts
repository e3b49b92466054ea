import { createHmac } from "node:crypto";
import { type JsonObject, ProtocolError } from "@purse/protocol";
import type { AuthAdapter } from "./adapter.ts";
import { type FetchJson, fetchJson } from "./fetchJson.ts";
import { oidcAdapter } from "./oidc.ts";
import { signInError } from "./signInError.ts";

const GRAPH = "https://graph.facebook.com";
const MAX_LENGTH = 8_192;

/**
 * Sign-in with Facebook: `{id, access_token}` of one of our apps, or `{id, token}` of a limited login, whose token is an ID
 * token. Only the id is stored.
 */
export function facebookAdapter(
  { appIds, appSecret }: { appIds: string[]; appSecret: string | undefined },
  request: FetchJson = fetchJson,
  limitedLogin = oidcAdapter({ issuer: "https://www.facebook.com", clientIds: appIds }),
): AuthAdapter {
  async function graph(path: string, token: string): Promise<JsonObject> {
    const url = new URL(`${GRAPH}/${path}`);
    url.searchParams.set("access_token", token);
    if (appSecret !== undefined)
      url.searchParams.set("appsecret_proof", createHmac("sha256", appSecret).update(token).digest("hex"));
    try {
      return await request({ url: url.href });
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw signInError("Facebook did not accept the token");
    }
  }

  return {
    async validateAuthData(authData, check) {
      const { id, access_token: token } = authData;
      if (token === undefined) return limitedLogin.validateAuthData(authData, check);
      if (typeof token !== "string" || token === "" || token.length > MAX_LENGTH)
        throw signInError("access_token must be a string");
      const [app, user] = await Promise.all([graph("app", token), graph("me?fields=id", token)]);
      if (!appIds.includes(String(app.id))) throw signInError("the token is for another app");
      if (String(user.id) !== String(id)) throw signInError("the token belongs to another user");
      return { stored: { id: String(id) } };
    },
  };
}
