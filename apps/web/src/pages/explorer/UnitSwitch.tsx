import { useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { COIN_UNITS, type CoinUnit, coinUnitName } from "../../money/coin.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** Switches the unit of all amounts of coins in a transaction. It is kept in the URL. */
export function UnitSwitch({ unit }: { unit: CoinUnit | undefined }) {
  const { t } = useTranslation();
  const { nativeCurrency } = useExplorer().chain;
  if (nativeCurrency.decimals !== 18) return null;
  return (
    <nav className="row tight-row" aria-label={t("Unit")}>
      {COIN_UNITS.map((each) => (
        <Link
          key={each}
          to="."
          search={(before: object) => ({ ...before, unit: each === unit ? undefined : each })}
          replace
          resetScroll={false}
          className="chip"
          translate="no"
          aria-current={each === unit ? "true" : undefined}
        >
          {coinUnitName(each, nativeCurrency)}
        </Link>
      ))}
    </nav>
  );
}
