import { useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { EXACT_MATCH } from "../../components/exactMatch.ts";
import { COIN_UNITS, type CoinUnit, coinUnitName } from "../../money/coin.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** Switches the unit of all amounts of coins in a transaction: one for all, which is kept in the URL, or one that suits each. */
export function UnitSwitch({ unit }: { unit: CoinUnit | undefined }) {
  const { t } = useTranslation();
  const { nativeCurrency } = useExplorer().chain;
  if (nativeCurrency.decimals !== 18) return null;
  return (
    <nav className="row tight-row" aria-label={t("Unit")}>
      {[undefined, ...COIN_UNITS].map((each) => (
        <Link
          key={each ?? "auto"}
          to="."
          search={(before: object) => ({ ...before, unit: each })}
          activeOptions={EXACT_MATCH}
          replace
          resetScroll={false}
          className="chip"
          translate={each && "no"}
          title={each ? undefined : t("A unit that suits each amount")}
          aria-current={each === unit ? "true" : undefined}
        >
          {each ? coinUnitName(each, nativeCurrency) : t("Auto")}
        </Link>
      ))}
    </nav>
  );
}
