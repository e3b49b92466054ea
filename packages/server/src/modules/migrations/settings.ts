import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ModuleFacts, setting } from "@purse/kernel";
import { text } from "../../config/settingTypes.ts";

export const migrationSettings = {
  migrations: setting(text().optional(), {
    group: "Database and queries",
    description:
      "Folder with migrations, which change stored objects once, in the order of their names, before the server starts. Default: migrations, if there is one.",
  }),
};

/** The folder of the migrations; undefined if there is none. Throws Error if the named one does not exist. */
export function migrationFolder(
  named: string | undefined,
  { cwd }: Pick<ModuleFacts, "cwd">,
): string | undefined {
  const folder = resolve(cwd, named ?? "migrations");
  if (existsSync(folder)) return folder;
  if (named === undefined) return undefined;
  throw new Error(`PURSE_MIGRATIONS names ${folder}, which does not exist`);
}
