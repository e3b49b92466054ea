import { formatPercent, useTranslation } from "@purse/ui";

/** A share in percent as text with a bar. */
export function PercentBar({ percent }: { percent: number }) {
  const { language } = useTranslation();
  return (
    <span className="percent-bar">
      <span className="number">{formatPercent(percent / 100, language)}</span>
      <span className="percent-track" aria-hidden="true">
        <span style={{ inlineSize: `${Math.min(100, Math.max(0, percent))}%` }} />
      </span>
    </span>
  );
}
