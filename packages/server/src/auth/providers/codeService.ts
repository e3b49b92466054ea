import { type JsonObject, ProtocolError } from "@purse/protocol";
import type { CodeOptions, CodeService } from "../../config/builtInAuth.ts";
import type { AuthAdapter } from "./adapter.ts";
import { type FetchJson, fetchJson } from "./fetchJson.ts";
import { signInError } from "./signInError.ts";

interface Service {
  tokenUrl: string;
  /** Whether the code is exchanged by JSON instead of a form. */
  takesJson?: boolean;
  /** The profile of the user of an access token. */
  userUrl: string;
  /** Whether the profile takes the token as a parameter instead of a header. */
  takesQuery?: boolean;
  /** The field of the profile that identifies the user. */
  idField: string;
}

const SERVICES: Readonly<Record<CodeService, Service>> = {
  github: {
    tokenUrl: "https://github.com/login/oauth/access_token",
    takesJson: true,
    userUrl: "https://api.github.com/user",
    idField: "id",
  },
  instagram: {
    tokenUrl: "https://api.instagram.com/oauth/access_token",
    userUrl: "https://graph.instagram.com/me?fields=id",
    takesQuery: true,
    idField: "id",
  },
  line: {
    tokenUrl: "https://api.line.me/oauth2/v2.1/token",
    userUrl: "https://api.line.me/v2/profile",
    idField: "userId",
  },
  linkedin: {
    tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
    userUrl: "https://api.linkedin.com/v2/me",
    idField: "id",
  },
  microsoft: {
    tokenUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    userUrl: "https://graph.microsoft.com/v1.0/me",
    idField: "id",
  },
  spotify: {
    tokenUrl: "https://accounts.spotify.com/api/token",
    userUrl: "https://api.spotify.com/v1/me",
    idField: "id",
  },
};

const MAX_LENGTH = 8_192;

/**
 * Sign-in with a service by its authorization code (OAuth 2.0, section 4.1): `{code, redirect_uri, code_verifier}`. The code
 * is exchanged with the secret of the client, so that codes of other apps are refused. Only the id is stored.
 */
export function codeServiceAdapter(
  service: CodeService,
  options: CodeOptions,
  request: FetchJson = fetchJson,
): AuthAdapter {
  const { tokenUrl, takesJson, userUrl, takesQuery, idField } = SERVICES[service];

  async function exchange(authData: JsonObject): Promise<string> {
    const fields = {
      grant_type: "authorization_code",
      client_id: options.clientId ?? "",
      client_secret: options.clientSecret ?? "",
      code: textOf(authData, "code"),
      ...optional("redirect_uri", options.redirectUri ?? authData.redirect_uri),
      ...optional("code_verifier", authData.code_verifier),
    };
    const answer = await request({
      url: tokenUrl,
      headers: { "content-type": takesJson ? "application/json" : "application/x-www-form-urlencoded" },
      body: takesJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    });
    if (typeof answer.access_token !== "string") throw signInError(`${service} did not accept the code`);
    return answer.access_token;
  }

  async function userOf(token: string): Promise<string> {
    const url = new URL(userUrl);
    if (takesQuery) url.searchParams.set("access_token", token);
    const profile = await request({
      url: url.href,
      headers: takesQuery ? {} : { authorization: `Bearer ${token}` },
    });
    const id = profile[idField];
    if (typeof id === "string" && id !== "") return id;
    if (typeof id === "number") return String(id);
    throw signInError(`${service} did not name the user`);
  }

  return {
    allowsMissingId: true,
    async identify(authData) {
      const token =
        authData.code === undefined && options.enableInsecureAuth
          ? textOf(authData, "access_token")
          : await exchange(authData).catch(asSignInError(service));
      const id = await userOf(token).catch(asSignInError(service));
      if (authData.id !== undefined && String(authData.id) !== id)
        throw signInError("it is that of another user");
      return { id };
    },
    validateAuthData: async ({ id }) => ({ stored: { id: id ?? null } }),
  };
}

/** Errors of requests do not reveal more than that the service could not be asked. */
function asSignInError(service: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ProtocolError) throw error;
    throw signInError(`${service} did not accept it`);
  };
}

function optional(name: string, value: unknown): Record<string, string> {
  return typeof value === "string" && value.length <= MAX_LENGTH ? { [name]: value } : {};
}

function textOf(authData: JsonObject, name: string): string {
  const value = authData[name];
  if (typeof value === "string" && value !== "" && value.length <= MAX_LENGTH) return value;
  throw signInError(`${name} must be a string`);
}
