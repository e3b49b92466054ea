import type { TranslationLoaders } from "@purse/ui";

export const TRANSLATIONS: TranslationLoaders = {
  de: () => import("./de.json").then((file) => file.default),
};
