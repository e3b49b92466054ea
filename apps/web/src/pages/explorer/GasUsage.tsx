import { useTranslation } from "@purse/ui";

/** The gas that a block used, and its share of the limit. */
export function GasUsage({ used, limit }: { used: string; limit: string }) {
  const { language } = useTranslation();
  const share = Number(limit) === 0 ? 0 : Number(used) / Number(limit);
  return (
    <span
      className="gas-use"
      title={`${Number(used).toLocaleString(language)} / ${Number(limit).toLocaleString(language)}`}
    >
      <span>{Number(used).toLocaleString(language)}</span>
      <span className="soft">
        {share.toLocaleString(language, { style: "percent", maximumFractionDigits: 1 })}
      </span>
    </span>
  );
}
