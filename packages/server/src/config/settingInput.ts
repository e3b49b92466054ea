import { isOff, type SettingOptions } from "@purse/kernel";
import type { z } from "zod";
import { isInstalled as isInstalledHere, MissingPackageError } from "../core/featurePackages.ts";

/** Where the values of settings come from: by flag, by variable, and by key of the config file. */
export interface SettingSources {
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  file: Readonly<Record<string, unknown>>;
  /** Whether a package that settings need is installed. By default, those of this server are looked for. */
  isInstalled?: ((packageName: string) => boolean) | undefined;
}

/** What was given for a setting, and where. */
export interface SettingInput {
  /** The flag, the variable, or the key of the config file, for errors. */
  name: string;
  isOfFile: boolean;
  value: unknown;
}

/** What was given for a setting: by its flag, else its variable, else its key; undefined for nothing. */
export function settingInput(
  { key, flag, variable }: { key: string; flag?: string | undefined; variable: string | undefined },
  { flags, env, file }: SettingSources,
): SettingInput | undefined {
  if (flag !== undefined && flags[flag] !== undefined)
    return { name: flag, isOfFile: false, value: flags[flag] };
  // Many shells and compose files pass an unset variable as an empty one.
  if (variable !== undefined && env[variable])
    return { name: variable, isOfFile: false, value: env[variable] };
  const value = file[key] ?? undefined;
  return value === undefined ? undefined : { name: `"${key}" of the config file`, isOfFile: true, value };
}

/** The default of a setting in an environment, as text; undefined if there is none. */
function defaultInput(
  { default: value }: SettingOptions,
  environment: "development" | "production",
): string | undefined {
  return typeof value === "object" ? value[environment] : value;
}

/**
 * What is read of a setting: what was given, or else its default, which is `off` without its package. Throws
 * MissingPackageError if a value was given that needs a package which is not installed.
 */
export function readInput(
  { schema, ...setting }: SettingOptions & { schema: z.ZodType },
  given: SettingInput | undefined,
  environment: "development" | "production",
  { isInstalled = isInstalledHere }: Pick<SettingSources, "isInstalled">,
): unknown {
  if (setting.package === undefined || isInstalled(setting.package))
    return given?.value ?? defaultInput(setting, environment);
  if (!given) return setting.off ?? defaultInput(setting, environment);
  if (isOff(schema, setting, given.value)) return given.value;
  throw new MissingPackageError(given.name, setting.package);
}

/** The error of an invalid input, which shows a value that is not secret. */
export function invalidInput(
  { name, value }: Pick<SettingInput, "name" | "value">,
  { isSecret = false }: Pick<SettingOptions, "isSecret">,
  message: string | undefined,
): Error {
  return new Error(`${name}${isSecret ? "" : ` is "${String(value)}"`}: ${message}`);
}
