import { settingsSchema } from "./settings.ts";
import { settingInfos } from "./settingTypes.ts";

/** The settings with what is known of each, by their keys. */
export const SETTING_LIST = Object.entries(settingsSchema.shape).map(([key, schema]) => {
  const info = settingInfos.get(schema);
  if (!info) throw new Error(`The setting ${key} has no description`);
  return { key, schema, info };
});
