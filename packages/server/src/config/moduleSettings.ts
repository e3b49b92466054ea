import {
  type ConfiguredModule,
  inConfigFile,
  type Module,
  type ModuleFacts,
  type ModuleSetting,
  SettingError,
  variableOf,
} from "@purse/kernel";
import { SECTIONS } from "./sections.ts";
import { invalidInput, readInput, type SettingSources, settingInput } from "./settingInput.ts";
import { SETTING_LIST } from "./settingList.ts";
import type { SettingValues } from "./settings.ts";

/** The variable of a module's setting; undefined for one of the config file only. */
export function moduleVariable({ key, env }: ModuleSetting): string | undefined {
  return env === null ? undefined : (env ?? variableOf(key));
}

/** Throws Error if a setting of a module is one of the server. */
export function assertOwnSettings(modules: readonly Module[]): void {
  const keys = new Set([
    ...SETTING_LIST.map(({ key }) => key),
    ...Object.keys(SECTIONS),
    "chains",
    "modules",
  ]);
  const variables = new Set<string>(SETTING_LIST.map(({ info }) => info.env));
  for (const { name, settings } of modules)
    for (const setting of settings) {
      const variable = moduleVariable(setting);
      const taken = keys.has(setting.key) ? setting.key : variable && variables.has(variable) && variable;
      if (taken) throw new Error(`The module "${name}": the setting "${taken}" is one of the server already`);
    }
}

/** Reads the settings of modules. Throws Error that names the setting and what is allowed. */
export function configureModules(
  modules: readonly Module[],
  sources: SettingSources,
  facts: ModuleFacts,
): ConfiguredModule[] {
  return modules.map((module) => {
    const given = new Map(
      module.settings.map((setting) => [
        setting.key,
        settingInput({ ...setting, variable: moduleVariable(setting) }, sources),
      ]),
    );
    const inputs = module.settings.map((setting) => [
      setting.key,
      readInput(setting, given.get(setting.key), facts.environment, sources),
    ]);
    try {
      return module.configure(Object.fromEntries(inputs), facts);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      const setting = module.settings.find(({ key }) => key === error.location);
      const input = setting && given.get(setting.key);
      if (!setting || !input || input.isOfFile) throw inConfigFile(error);
      throw invalidInput(input, setting, error.message);
    }
  });
}

declare module "@purse/kernel" {
  interface ModuleFacts extends Pick<SettingValues, "environment" | "compatibility" | "roles"> {
    /** The absolute path of the folder of the database, the keys and files. */
    dataDir: string;
    /** The folder at which relative paths of settings begin. */
    cwd: string;
  }
}
