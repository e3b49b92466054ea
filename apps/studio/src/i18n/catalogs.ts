import type { Catalogs } from "@purse/ui";
import en from "./en.json" with { type: "json" };

export const CATALOGS: Catalogs = {
  en,
  de: () => import("./de.json").then((file) => file.default),
  es: () => import("./es.json").then((file) => file.default),
  fr: () => import("./fr.json").then((file) => file.default),
  ja: () => import("./ja.json").then((file) => file.default),
  zh: () => import("./zh.json").then((file) => file.default),
};
