import { defineModule, type SettingInputsOf } from "@purse/kernel";
import { CLOCK, LOG, OBJECTS, SCHEMAS, STORE } from "../../module/tokens.ts";
import { migrationRules } from "./migrationRules.ts";
import { migrationFolder, migrationSettings } from "./settings.ts";
import { MIGRATIONS } from "./token.ts";

/** Data steps of an application beside the definitions of its classes. */
export const migrations = defineModule({
  name: "migrations",
  provides: MIGRATIONS,
  needs: { objects: OBJECTS, schemas: SCHEMAS, store: STORE, clock: CLOCK, log: LOG },
  settings: migrationSettings,
  classes: ({ settings, facts }) =>
    migrationFolder(settings.migrations, facts) === undefined ? [] : [migrationRules],
  open({ settings, facts, ...shared }) {
    const folder = migrationFolder(settings.migrations, facts);
    return {
      service: {
        async run(options) {
          if (folder === undefined) return [];
          const { Migrations } = await import("./migrations.ts");
          return new Migrations({ ...shared, folder }).run(options);
        },
      },
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof migrationSettings> {}
}
