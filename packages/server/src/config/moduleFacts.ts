import type { SettingValues } from "./settings.ts";

declare module "@purse/kernel" {
  interface ModuleFacts extends Pick<SettingValues, "environment" | "compatibility" | "roles"> {
    /** The absolute path of the folder of the database, the keys and files. */
    dataDir: string;
  }
}
