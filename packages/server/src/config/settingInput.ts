import type { SettingOptions } from "@purse/kernel";

/** Where the values of settings come from: by flag, by variable, and by key of the config file. */
export interface SettingSources {
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  file: Readonly<Record<string, unknown>>;
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
export function defaultInput(
  { default: value }: SettingOptions,
  environment: "development" | "production",
): string | undefined {
  return typeof value === "object" ? value[environment] : value;
}

/** The error of an invalid input, which shows a value that is not secret. */
export function invalidInput(
  { name, value }: Pick<SettingInput, "name" | "value">,
  { isSecret = false }: Pick<SettingOptions, "isSecret">,
  message: string | undefined,
): Error {
  return new Error(`${name}${isSecret ? "" : ` is "${String(value)}"`}: ${message}`);
}
