import type { Module } from "@purse/kernel";
import { defineConfig } from "./config/defineConfig.ts";
import { type Config, type ConfigSources, loadConfig as loadConfigWith } from "./config/loadConfig.ts";
import {
  settingRows as rowsWith,
  type SettingRow,
  settingsTable as tableWith,
} from "./config/settingsTable.ts";
import { MODULES } from "./modules.ts";

/** What the config file, and modules that it names, may import. */
const ENTRIES = {
  "@purse/server/config": async () => ({ defineConfig }),
  "@purse/server/module": () => import("./moduleApi.ts"),
};

/** Loads the settings of the server and its modules, as `loadConfig` of the settings says. */
export function loadConfig(
  sources: Pick<ConfigSources, "argv" | "env" | "cwd" | "isInstalled">,
): Promise<Config> {
  return loadConfigWith({ ...sources, modules: MODULES, entries: ENTRIES });
}

/** All settings, those of the server's modules included. */
export function settingRows(modules: readonly Module[] = MODULES): SettingRow[] {
  return rowsWith(modules);
}

/** All settings as a Markdown table, for `--help`. */
export function settingsTable(): string {
  return tableWith(MODULES);
}
