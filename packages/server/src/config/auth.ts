import { isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";
import { HTTP, urlWith } from "./settingTypes.ts";

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

const ADAPTER = z.custom<CustomAdapter>(isAdapter, { error: "it must have validateAuthData()" });

const OIDC = z
  .strictObject({
    type: z.literal("oidc"),
    issuer: urlWith(HTTP, "it must be the issuer's URL"),
    clientId: z.union([z.string().min(1), z.array(z.string().min(1))]),
  })
  .transform(
    ({ issuer, clientId }): AuthProviderConfig => ({ type: "oidc", issuer, clientIds: [clientId].flat() }),
  );

const CUSTOM = z
  .looseObject({ module: z.union([z.string(), ADAPTER]) })
  .transform(({ module, ...options }): AuthProviderConfig => {
    const plain: unknown = JSON.parse(JSON.stringify(options));
    return { type: "custom", module, options: isJsonObject(plain) ? plain : {} };
  });

const PROVIDER = z.union(
  [
    OIDC,
    ADAPTER.transform((module): AuthProviderConfig => ({ type: "custom", module, options: {} })),
    CUSTOM,
  ],
  { error: 'it must be { type: "oidc", issuer, clientId } or { module, … }' },
);

/** `auth` of the config file: providers by name. */
export const authSchema = z
  .record(
    z.string().refine((name) => /^[A-Za-z]\w{0,63}$/.test(name) && !RESERVED.has(name), {
      error: "it cannot name a provider",
    }),
    PROVIDER,
  )
  .default({});

function isAdapter(value: unknown): value is CustomAdapter {
  return (
    typeof value === "object" &&
    value !== null &&
    "validateAuthData" in value &&
    typeof value.validateAuthData === "function"
  );
}
