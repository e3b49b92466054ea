import { useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import type { AppChain } from "../../settings.ts";
import { useDex } from "../swap/useDex.ts";

/** A link to the page that swaps; nothing where nothing can be swapped. */
export function SwapLink({ chains }: { chains: readonly AppChain[] }) {
  const { t } = useTranslation();
  const { data: hasDex } = useDex();
  if (!hasDex && chains.every(({ wrappedNative }) => wrappedNative === null)) return null;
  return (
    <Link to="/swap" search={{}} className="button">
      {t("Swap")}
    </Link>
  );
}
