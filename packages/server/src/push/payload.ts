import type { JsonObject } from "@purse/protocol";

const LOCALISED = /^(alert|title)-(.+)$/;

/** The data of a message in the language of a device: `alert-de` in the place of `alert`, and no other. */
export function inLanguageOf(data: JsonObject, locale: string | undefined): JsonObject {
  const localised = Object.keys(data).filter((key) => LOCALISED.test(key));
  if (localised.length === 0) return data;
  const chosen: JsonObject = Object.fromEntries(
    Object.entries(data).filter(([key]) => !localised.includes(key)),
  );
  for (const key of localised) {
    const [, field = "", language = ""] = LOCALISED.exec(key) ?? [];
    const value = data[key];
    if (value !== undefined && locale?.startsWith(language)) chosen[field] = value;
  }
  return chosen;
}
