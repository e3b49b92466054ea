import { statSync } from "node:fs";
import { deepest } from "@purse/kernel";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";
import { type BuiltInAuth, builtInSchema, mfaSchema, packagedAdapter } from "./builtInAuth.ts";
import { assertFile, attempt, HTTP, urlWith } from "./settingTypes.ts";

/** A custom adapter of the operator, with Parse's interface. */
export interface CustomAdapter {
  validateAuthData?(authData: JsonObject, options: JsonObject, request: unknown): unknown;
  /** Instead of `validateAuthData`: for a user without authData of the provider, and for one who has it. */
  validateSetUp?(authData: JsonObject, options: JsonObject, request: unknown): unknown;
  validateLogin?(authData: JsonObject, options: JsonObject, request: unknown): unknown;
  validateUpdate?(authData: JsonObject, options: JsonObject, request: unknown): unknown;
  validateAppId?(appIds: unknown, authData: JsonObject, options: JsonObject, request: unknown): unknown;
  validateOptions?(options: JsonObject): unknown;
  /** Replaces what a client sent by what identifies the user, such as a code by an id. May change its parameter. */
  beforeFind?(authData: JsonObject): unknown;
  challenge?(data: unknown, authData: unknown, options: JsonObject, request: unknown): unknown;
  /** What is read in place of the stored authData; a falsy value for that itself. Called with `{ ip, user, master }`. */
  afterFind?(request: unknown, authData: JsonObject, options: JsonObject | undefined): unknown;
  /** `default`, `solo` or `additional`, or a function that returns one. */
  policy?: unknown;
}

/** A sign-in provider. */
export type AuthProviderConfig =
  | BuiltInAuth
  /** `module`: a custom adapter, or the path of a module whose default export is one. */
  | { type: "custom"; module: string | CustomAdapter; options: JsonObject };

/** Names of the built-in sign-in methods. */
const RESERVED: ReadonlySet<string> = new Set(["anonymous", "moralisEth", "password"]);

/** The ways to validate: as a whole, or in three steps. */
const VALIDATORS = ["validateAuthData", "validateSetUp", "validateLogin", "validateUpdate"] as const;

const ADAPTER = z.custom<CustomAdapter>(isCustomAdapter, { error: "it must have validateAuthData()" });

/** The options of an adapter: all that is no function. */
function optionsIn(options: object): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(options));
  return isJsonObject(plain) ? plain : {};
}

const OIDC = z
  .strictObject({
    type: z.literal("oidc"),
    issuer: urlWith(HTTP, "it must be the issuer's URL"),
    clientId: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  })
  .transform(
    ({ issuer, clientId }): AuthProviderConfig => ({ type: "oidc", issuer, clientIds: [clientId].flat() }),
  );

const CUSTOM = z
  .looseObject({ module: z.union([z.string(), ADAPTER]) })
  .transform(({ module, ...options }): AuthProviderConfig => {
    return { type: "custom", module, options: optionsIn(options) };
  });

const PROVIDER_FORMAT = 'it must be { type: "oidc", issuer, clientId } or { module, … }';
const PROVIDER = z.union(
  [
    OIDC,
    ADAPTER.transform(
      (module): AuthProviderConfig => ({ type: "custom", module, options: optionsIn(module) }),
    ),
    CUSTOM,
  ],
  { error: PROVIDER_FORMAT },
);

const NAME = z.string().refine((name) => /^[A-Za-z]\w{0,63}$/.test(name) && !RESERVED.has(name), {
  error: "it cannot name a provider",
});

/** `auth` of the config file: providers by name, also with the settings of those that Parse Server has built in. */
export const authSchema = z
  .record(NAME, z.unknown())
  .transform((providers, context) => {
    const parsed: Record<string, AuthProviderConfig> = {};
    for (const [name, settings] of Object.entries(providers)) {
      const { success, data, error } = providerSchema(name, settings).safeParse(settings, { jitless: true });
      if (!success) {
        const [first] = error.issues;
        const { path, message } = first ? deepest(first, []) : { path: [], message: PROVIDER_FORMAT };
        context.addIssue({ code: "custom", message, path: [name, ...path] });
      } else if (data !== undefined) parsed[name] = data;
    }
    return parsed;
  })
  .default({});

/** A provider whose adapter is there. */
const EXISTING = PROVIDER.transform((provider, context): AuthProviderConfig => {
  if (provider.type !== "custom" || typeof provider.module !== "string") return provider;
  const module = moduleFile(provider.module);
  attempt(() => assertFile(module), context, ["module"]);
  return { ...provider, module };
});

/** Paths of modules may lack the extension, as for `require()`. */
function moduleFile(path: string): string {
  const isFile = (each: string) => statSync(each, { throwIfNoEntry: false })?.isFile() ?? false;
  const candidates = ["", ".js", ".cjs", ".mjs", "/index.js"].map((suffix) => path + suffix);
  return candidates.find(isFile) ?? path;
}

function providerSchema(name: string, settings: unknown): z.ZodType<AuthProviderConfig | undefined> {
  if (name === "mfa") return mfaSchema.transform(() => undefined);
  const isObject = typeof settings === "object" && settings !== null;
  // Its sign-ins are refused with 252, as those of providers that are not there, and its module is not loaded.
  if (isObject && "enabled" in settings && settings.enabled === false)
    return z.unknown().transform(() => undefined);
  if (!isObject || "type" in settings || "module" in settings || isCustomAdapter(settings)) return EXISTING;
  const builtIn = builtInSchema(name, settings);
  if (builtIn) return builtIn;
  return z.unknown().transform((_, context): AuthProviderConfig | undefined => {
    try {
      const module = packagedAdapter(name);
      if (module !== undefined) return { type: "custom", module, options: optionsIn(settings) };
      context.addIssue({ code: "custom", message: PROVIDER_FORMAT });
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  });
}

/** Whether a value implements `validateAuthData`, or all three steps instead. */
export function isCustomAdapter(value: unknown): value is CustomAdapter {
  if (typeof value !== "object" || value === null) return false;
  const [whole, ...steps] = VALIDATORS;
  return isImplemented(value, whole) || steps.every((step) => isImplemented(value, step));
}

/**
 * Whether an adapter has a method, other than the one that it inherits from the base class of all adapters, such as that
 * of Parse Server: it accepts every sign-in.
 */
export function isImplemented(adapter: object, name: keyof CustomAdapter): boolean {
  const method: unknown = Reflect.get(adapter, name);
  const base = baseOf(adapter);
  return typeof method === "function" && (base === undefined || method !== Reflect.get(base, name));
}

/** What an adapter extends that has each way to validate. A class that has them all itself is an adapter. */
function baseOf(adapter: object): object | undefined {
  let isExtended = false;
  let level: object | null = adapter;
  for (let depth = 0; level !== null; depth++) {
    const own = VALIDATORS.filter((name) => level !== null && Object.hasOwn(level, name));
    if (own.length === VALIDATORS.length && (isExtended || depth > 1)) return level;
    isExtended ||= own.length > 0;
    level = Object.getPrototypeOf(level);
  }
  return undefined;
}
