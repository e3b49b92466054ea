import { Detail, FailedRead, formatNumber, isUnavailable, Skeleton, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { CoinAmount } from "./Amount.tsx";
import { getNFTCollectionStats } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** Details of a collection: items, owners, transfers, sales and prices. */
export function CollectionStats({ address }: { address: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const stats = useDataQuery(getNFTCollectionStats, { chain: chain.hexId, address });
  const { data } = stats;
  if (!data && isUnavailable(stats.error)) return null;
  if (!data && stats.error !== null) {
    return (
      <Detail label={t("Statistics")}>
        <FailedRead query={stats}>{t("Statistics could not be loaded")}</FailedRead>
      </Detail>
    );
  }
  const number = (value: string | undefined): ReactNode =>
    value === undefined ? (
      <Skeleton width="4rem" />
    ) : (
      <span className="number">{formatNumber(Number(value), language)}</span>
    );
  const price = (wei: string | null | undefined): ReactNode => {
    if (wei === undefined) return <Skeleton width="6rem" />;
    return wei === null ? <span className="soft">–</span> : <CoinAmount wei={wei} />;
  };
  const days = data?.sales.days ?? 30;
  return (
    <>
      <Detail label={t("Items")}>{number(data?.total_tokens)}</Detail>
      <Detail label={t("Owners")}>{number(data?.owners.current)}</Detail>
      <Detail label={t("Transfers")}>{number(data?.transfers.total)}</Detail>
      <Detail label={t("Sales")}>
        {number(data?.sales.total)}
        {data && (
          <span className="soft">
            {" "}
            · {t("{n, number} in {days, number} days", { n: Number(data.sales.in_period), days })}
          </span>
        )}
      </Detail>
      <Detail label={t("Lowest sale ({days, number} days)", { days })}>{price(data?.floor_price)}</Detail>
      <Detail label={t("Average sale ({days, number} days)", { days })}>{price(data?.average_price)}</Detail>
      <Detail label={t("Volume ({days, number} days)", { days })}>{price(data?.volume)}</Detail>
    </>
  );
}
