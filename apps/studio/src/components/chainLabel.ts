import type { StudioChain } from "@purse/server/studio-api";
import type { Translator } from "@purse/ui";

/** The display name of a chain, as in the app. */
export function chainLabel({ name, title }: Pick<StudioChain, "name" | "title">, t: Translator["t"]): string {
  return name === "localdevchain" ? t("Local chain") : title;
}
