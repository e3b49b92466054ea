import type { StudioChain } from "@purse/server/studio-api";
import type { Translator } from "@purse/ui";

/** The display name of a chain, as in the app. */
export function chainLabel({ name }: Pick<StudioChain, "name">, t: Translator["t"]): string {
  return name === "localdevchain" ? t("Local chain") : name;
}
