import { isJsonObject, type JsonObject } from "@purse/protocol";
import { sectionOf, stringField } from "./sectionFields.ts";

/** A custom adapter of the operator, with Parse's interface. */
export interface CustomAdapter {
  validateAuthData(authData: JsonObject, options: JsonObject): unknown;
  validateAppId?(appIds: unknown, authData: JsonObject, options: JsonObject): unknown;
}

/** A sign-in provider. */
export type AuthProviderConfig =
  | { type: "oidc"; issuer: string; clientIds: string[] }
  /** `module`: a custom adapter, or the path of a module whose default export is one. */
  | { type: "custom"; module: string | CustomAdapter; options: JsonObject };

/** Names of the built-in sign-in methods. */
const RESERVED: ReadonlySet<string> = new Set(["mfa", "anonymous", "moralisEth", "password"]);

/** Parses `auth` of the config file: providers by name. Throws Error that says what is allowed. */
export function parseAuth(value: unknown): Record<string, AuthProviderConfig> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null)
    throw new Error("it must be an object of providers by name");
  const providers: Record<string, AuthProviderConfig> = {};
  for (const [name, config] of Object.entries(value)) {
    if (!/^[A-Za-z]\w{0,63}$/.test(name) || RESERVED.has(name))
      throw new Error(`"${name}" cannot name a provider`);
    providers[name] = parseProvider(name, config);
  }
  return providers;
}

function parseProvider(name: string, value: unknown): AuthProviderConfig {
  if (typeof value === "object" && value !== null && "type" in value && value.type === "oidc") {
    const section = sectionOf(value, ["type", "issuer", "clientId"]);
    const issuer = stringField(section, "issuer");
    const clientIds = Array.isArray(section.clientId) ? section.clientId : [section.clientId];
    if (issuer === undefined || !URL.canParse(issuer) || !/^https?:$/.test(new URL(issuer).protocol)) {
      throw new Error(`${name}.issuer must be the issuer's URL`);
    }
    if (!clientIds.every((id): id is string => typeof id === "string" && id !== "")) {
      throw new Error(`${name}.clientId must be a string, or a list of strings`);
    }
    return { type: "oidc", issuer, clientIds };
  }
  if (typeof value === "object" && value !== null) {
    if ("validateAuthData" in value && isAdapter(value))
      return { type: "custom", module: value, options: {} };
    const { module, ...options } = { module: undefined, ...value };
    if (typeof module === "string" || isAdapter(module)) {
      const plain: unknown = JSON.parse(JSON.stringify(options));
      return { type: "custom", module, options: isJsonObject(plain) ? plain : {} };
    }
  }
  throw new Error(`${name} must be { type: "oidc", issuer, clientId } or { module, … }`);
}

function isAdapter(value: unknown): value is CustomAdapter {
  return (
    typeof value === "object" &&
    value !== null &&
    "validateAuthData" in value &&
    typeof value.validateAuthData === "function"
  );
}
