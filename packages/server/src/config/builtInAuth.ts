import { createRequire } from "node:module";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { z } from "zod";

/** Settings of a provider that Parse Server has built in, under the names that they have there. */
export type BuiltInAuth =
  /** An ID token of an issuer, in `id_token` or `token`. */
  | {
      type: "oidc";
      issuer: string;
      clientIds: string[];
      /** Further spellings of the issuer in tokens. */
      otherIssuers?: string[];
      /** Whether a token of another app of the project is accepted if it names the client as its audience. */
      acceptsOtherParties?: boolean;
    }
  | { type: "facebook"; appIds: string[]; appSecret: string | undefined }
  | { type: "code"; service: CodeService; options: CodeOptions }
  | { type: "keycloak"; issuer: string; clientId: string }
  | { type: "introspection"; options: IntrospectionOptions };

/** Services whose authorization code the server exchanges for the user. */
const CODE_SERVICES = ["github", "instagram", "line", "linkedin", "microsoft", "spotify"] as const;
export type CodeService = (typeof CODE_SERVICES)[number];

export interface CodeOptions {
  clientId: string | undefined;
  clientSecret: string | undefined;
  redirectUri: string | undefined;
  /** Whether an access token is accepted, which any other app of the service can have obtained. */
  enableInsecureAuth: boolean;
}

export interface IntrospectionOptions {
  tokenIntrospectionEndpointUrl: string;
  useridField: string;
  appidField: string | undefined;
  appIds: string[];
  authorizationHeader: string | undefined;
}

/** What is not needed: keys are cached as long as their issuers say. */
const cache = { cacheMaxEntries: z.unknown().optional(), cacheMaxAge: z.unknown().optional() };
const clientIds = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: "it must be the id of a client, or a list of them",
});
const text = z.string().min(1);
const url = z.url({ protocol: /^https?$/, error: "it must be an http:// or https:// URL" });

const idToken = (issuer: string, more: { otherIssuers?: string[]; acceptsOtherParties?: boolean } = {}) =>
  z
    .strictObject({ clientId: clientIds, ...cache })
    .transform(
      ({ clientId }): BuiltInAuth => ({ type: "oidc", issuer, clientIds: [clientId].flat(), ...more }),
    );

const code = (service: CodeService) =>
  z
    .strictObject({
      clientId: text.optional(),
      clientSecret: text.optional(),
      redirectUri: url.optional(),
      enableInsecureAuth: z.boolean().default(false),
    })
    .refine((options) => options.enableInsecureAuth || (options.clientId && options.clientSecret), {
      error: "it needs clientId and clientSecret",
    })
    .refine((options) => service !== "instagram" || options.enableInsecureAuth || options.redirectUri, {
      error: "it needs redirectUri",
    })
    .transform(
      ({ clientId, clientSecret, redirectUri, enableInsecureAuth }): BuiltInAuth => ({
        type: "code",
        service,
        options: { clientId, clientSecret, redirectUri, enableInsecureAuth },
      }),
    );

const SCHEMAS: Readonly<Record<string, z.ZodType<BuiltInAuth>>> = {
  apple: idToken("https://appleid.apple.com"),
  google: idToken("https://accounts.google.com", {
    otherIssuers: ["accounts.google.com"],
    // Tokens for Android name the server's client as the audience, and the app as the party.
    acceptsOtherParties: true,
  }),
  facebook: z
    .strictObject({ appIds: z.array(text).min(1), appSecret: text.optional(), ...cache })
    .transform(({ appIds, appSecret }): BuiltInAuth => ({ type: "facebook", appIds, appSecret })),
  keycloak: z
    .strictObject({
      config: z.looseObject({ "auth-server-url": url, realm: text, "client-id": text }),
      ...cache,
    })
    .transform(
      ({ config }): BuiltInAuth => ({
        type: "keycloak",
        issuer: `${config["auth-server-url"].replace(/\/+$/, "")}/realms/${config.realm}`,
        clientId: config["client-id"],
      }),
    ),
  ...Object.fromEntries(CODE_SERVICES.map((service) => [service, code(service)])),
};

const INTROSPECTION = z
  .strictObject({
    oauth2: z.literal(true),
    tokenIntrospectionEndpointUrl: url,
    useridField: text.default("sub"),
    appidField: text.optional(),
    appIds: z.array(text).default([]),
    authorizationHeader: text.optional(),
    debug: z.unknown().optional(),
  })
  .refine(({ appidField, appIds }) => appidField === undefined || appIds.length > 0, {
    error: "appidField needs appIds",
  })
  .transform(
    ({ oauth2: _, debug: _debug, ...options }): BuiltInAuth => ({
      type: "introspection",
      options: {
        ...options,
        appidField: options.appidField,
        authorizationHeader: options.authorizationHeader,
      },
    }),
  );

/** Adapters of Parse Server that run here if its package is installed. */
const PACKAGED: ReadonlySet<string> = new Set([
  ...["digits", "gcenter", "gpgames", "janraincapture", "janrainengage", "ldap", "meetup", "phantauth"],
  ...["qq", "twitter", "vkontakte", "wechat", "weibo"],
]);

/** The schema of the settings of a provider under Parse Server's names; undefined if it has none of this name. */
export function builtInSchema(provider: string, settings: object): z.ZodType<BuiltInAuth> | undefined {
  if (Reflect.get(settings, "oauth2") === true) return INTROSPECTION;
  return Object.hasOwn(SCHEMAS, provider) ? SCHEMAS[provider] : undefined;
}

/**
 * The module of an adapter of Parse Server, if its package is installed in the working directory; undefined for other
 * providers. Throws Error with what to do if it is not installed.
 */
export function packagedAdapter(provider: string): string | undefined {
  if (!PACKAGED.has(provider)) return undefined;
  const file = provider === "digits" ? "twitter" : provider;
  try {
    return createRequire(join(process.cwd(), "purse.config.ts")).resolve(
      `parse-server/lib/Adapters/Auth/${file}.js`,
    );
  } catch {
    throw new Error(
      `${provider} is an adapter of Parse Server: install the package parse-server beside the config file, or set module to an adapter of your own`,
    );
  }
}

const MFA = z.strictObject({
  enabled: z.literal(true, { error: "the second factor is always available: remove mfa" }).optional(),
  options: z
    .array(z.literal("TOTP", { error: "the second factor is TOTP: SMS is not supported" }))
    .min(1)
    .optional(),
  digits: z.literal(6, { error: "codes have 6 digits" }).optional(),
  period: z.literal(30, { error: "codes last 30 seconds" }).optional(),
  algorithm: z.literal("SHA1", { error: "codes use SHA1" }).optional(),
});

/** The settings of the second factor, which are accepted if they describe the one that is built in. */
export const mfaSchema: z.ZodType<JsonObject> = MFA.transform(() => ({}));
