import { Detail, DetailList, formatPercent, Notice, useTranslation } from "@purse/ui";
import { formatAmount } from "../../money/amount.ts";
import type { Sendable } from "../send/sendable.ts";
import { minimumReceived, type Quote } from "./quote.ts";

/** Price impacts, as shares, above which a warning is shown. */
const HIGH_IMPACT = 0.03;
const EXTREME_IMPACT = 0.1;

export interface QuoteDetailsProps {
  /** Null if no pool exchanges so much. */
  quote: Quote | null;
  from: Sendable;
  to: Sendable;
  /** In the smallest unit of `from`. */
  amount: bigint;
  /** In percent. */
  slippage: number;
}

/** What a swap gives: amount, rate, impact on the price, the least that is received, and the route. */
export function QuoteDetails({ quote, from, to, amount, slippage }: QuoteDetailsProps) {
  const { t, language } = useTranslation();
  if (!quote) {
    return (
      <Notice kind="warning" title={t("No route found")}>
        {t("No pool exchanges these assets in this amount.")}
      </Notice>
    );
  }
  const { amountOut, exchange, priceImpact } = quote;
  const impact = priceImpact ?? 0;
  const unitAmount = 10n ** BigInt(from.decimals);
  return (
    <>
      <DetailList className="review" aria-label={t("Quote")}>
        <Detail label={t("You receive")} className="number strong">
          {formatAmount(amountOut, to.decimals, language)} <bdi>{to.unit}</bdi>
        </Detail>
        <Detail label={t("Rate")} className="number">
          1 <bdi>{from.unit}</bdi> = {formatAmount((amountOut * unitAmount) / amount, to.decimals, language)}{" "}
          <bdi>{to.unit}</bdi>
        </Detail>
        {quote.kind === "pool" && (
          <>
            <Detail label={t("Price impact")} className="number">
              {priceImpact === null ? t("unknown") : formatPercent(priceImpact, language)}
            </Detail>
            <Detail label={t("Minimum received")} className="number">
              {formatAmount(minimumReceived(amountOut, slippage), to.decimals, language)} <bdi>{to.unit}</bdi>
            </Detail>
            <Detail label={t("Exchange")}>
              <bdi>{exchange}</bdi>
              {quote.path.length > 2 && ` · ${t("through another token")}`}
            </Detail>
          </>
        )}
      </DetailList>
      {impact >= HIGH_IMPACT && (
        <Notice kind={impact >= EXTREME_IMPACT ? "danger" : "warning"} title={t("High price impact")}>
          {t("The pool is small for this amount, so you get a worse price. Swap less at once.")}
        </Notice>
      )}
    </>
  );
}
