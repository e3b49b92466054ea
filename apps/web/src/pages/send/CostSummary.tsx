import { Detail, DetailList, Notice, useTranslation } from "@purse/ui";
import { formatAmount, formatExactAmount } from "../../money/amount.ts";
import { formatCoins } from "../../money/coin.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import type { Sendable } from "./sendable.ts";

export interface CostSummaryProps {
  item: Sendable;
  /** In the smallest unit of the item. */
  amount: bigint;
  /** The coin that pays the fee. */
  coin: Sendable;
  /** The expected fee, in wei. */
  fee: bigint;
}

/** What a transfer costs in total, and what is left of the balance afterwards. */
export function CostSummary({ item, amount, coin, fee }: CostSummaryProps) {
  const { t, language } = useTranslation();
  const isCoin = item.type === "native";
  const total = isCoin ? amount + fee : amount;
  const left = item.balance - total;
  const worth = totalWorth({ item, amount, coin, fee });
  // With the fee, which is estimated, more digits would not be more exact.
  const formatTotal = isCoin ? formatAmount : formatExactAmount;
  const paysFee = isCoin || coin.balance >= fee;
  return (
    <>
      <DetailList className="review">
        <Detail label={t("Total")} className="number">
          {item.type === "erc721" ? item.unit : `${formatTotal(total, item.decimals, language)} ${item.unit}`}
          {!isCoin && ` + ${formatCoins(fee, { symbol: coin.unit, decimals: coin.decimals }, language)}`}
          {worth !== null && <span className="soft"> · {formatFiat(worth, language)}</span>}
        </Detail>
        {item.type !== "erc721" && left >= 0n && (
          <Detail label={t("Balance after")} className="number">
            {formatAmount(left, item.decimals, language)} {item.unit}
          </Detail>
        )}
      </DetailList>
      {!paysFee && (
        <Notice kind="warning" title={t("Not enough {unit} for the network fee", { unit: coin.unit })}>
          {t("Balance: {amount} {unit}", {
            amount: formatAmount(coin.balance, coin.decimals, language),
            unit: coin.unit,
          })}
        </Notice>
      )}
    </>
  );
}

/** Amount and fee in USD; null if a price is unknown. */
export function totalWorth({ item, amount, coin, fee }: CostSummaryProps): number | null {
  if (coin.usdPrice === null || item.usdPrice === null) return null;
  return fiatValue(amount, item.decimals, item.usdPrice) + fiatValue(fee, coin.decimals, coin.usdPrice);
}
