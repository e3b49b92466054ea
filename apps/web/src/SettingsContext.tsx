import { createContext, useContext } from "react";
import type { AppSettings } from "./settings.ts";

export const SettingsContext = createContext<AppSettings | null>(null);

export function useSettings(): AppSettings {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error("useSettings must be used inside SettingsContext");
  return settings;
}
