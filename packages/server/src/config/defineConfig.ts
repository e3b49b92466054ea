import type { ConfigFile } from "./loadConfig.ts";

export type { Migration, MigrationContext, MigrationObjects } from "./migration.ts";

/** Returns its argument: gives purse.config.ts completion and type checks. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}
