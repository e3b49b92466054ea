import type { JsonObject } from "@purse/protocol";

const LOCALIZED_KEY = /^(alert|title)-(.+)$/;

/** Localizes the data of a message for a device: `alert-de` replaces `alert`, and other languages are removed. */
export function localizePayload(data: JsonObject, locale: string | undefined): JsonObject {
  const localizedKeys = Object.keys(data).filter((key) => LOCALIZED_KEY.test(key));
  if (localizedKeys.length === 0) return data;
  const chosen: JsonObject = Object.fromEntries(
    Object.entries(data).filter(([key]) => !localizedKeys.includes(key)),
  );
  for (const key of localizedKeys) {
    const [, field = "", language = ""] = LOCALIZED_KEY.exec(key) ?? [];
    const value = data[key];
    if (value !== undefined && locale?.startsWith(language)) chosen[field] = value;
  }
  return chosen;
}
