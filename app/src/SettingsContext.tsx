import { createContext, useContext } from "react";
import type { AppSettings } from "./settings.ts";

export const SettingsContext = createContext<AppSettings | null>(null);

export function useSettings(): AppSettings {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error("useSettings is for pages inside the app");
  return settings;
}
