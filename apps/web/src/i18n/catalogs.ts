import type { Catalogs } from "@purse/ui";
import en from "./en.json" with { type: "json" };

export const CATALOGS: Catalogs = {
  en,
  de: () => import("./de.json").then((file) => file.default),
};
