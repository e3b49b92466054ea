import { formatNumber, formatPercent, useTranslation } from "@purse/ui";

/** The gas that a block used, and its share of the limit. */
export function GasUsage({ used, limit }: { used: string; limit: string }) {
  const { language } = useTranslation();
  const share = Number(limit) === 0 ? 0 : Number(used) / Number(limit);
  return (
    <span
      className="gas-use"
      title={`${formatNumber(Number(used), language)} / ${formatNumber(Number(limit), language)}`}
    >
      <span>{formatNumber(Number(used), language)}</span>
      <span className="soft">{formatPercent(share, language, 1)}</span>
    </span>
  );
}
