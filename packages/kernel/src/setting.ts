import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

/** How a setting is described and defaulted. */
export interface SettingOptions {
  flag?: `--${string}`;
  /** The variable if it is not PURSE_ with the words of the key; null for a setting of the config file only. */
  env?: `PURSE_${string}` | null;
  /** The heading of the reference that lists it. */
  group?: string;
  /** The default as text, or that of each environment; undefined if the description explains it. */
  default?: string | { development: string; production: string };
  description: string;
  /** Whether its value must not appear in error messages: a secret, or a URL that may contain a password. */
  isSecret?: boolean;
  /** The package that it needs, if the program can be installed without that. The program says which those are. */
  package?: string;
  /** The value as text that does not need the package, and that the setting has without it. By default every value needs it. */
  off?: string;
}

const options = z.registry<SettingOptions>();

/** Declares a setting. Its schema reads texts of flags and variables as well as values of the config file. */
export function setting<Schema extends z.ZodType>(schema: Schema, described: SettingOptions): Schema {
  options.add(schema, described);
  return schema;
}

/** Returns how a setting was declared. Throws Error if it was not. */
export function settingOptions(key: string, schema: z.ZodType): SettingOptions {
  const known = options.get(schema);
  if (!known)
    throw new Error(
      `The setting ${key} has no description: declare it with setting(schema, { description })`,
    );
  return known;
}

/** Whether a value needs no package: that which `off` means. */
export function isOff(schema: z.ZodType, { off }: Pick<SettingOptions, "off">, value: unknown): boolean {
  if (off === undefined) return false;
  const [given, without] = [value, off].map((each) => schema.safeParse(each, { jitless: true }));
  return given?.success === true && isDeepStrictEqual(given.data, without?.data);
}

/** The variable of a key: PURSE_MAX_LIMIT for `maxLimit`. */
export function variableOf(key: string): `PURSE_${string}` {
  return `PURSE_${key.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;
}
