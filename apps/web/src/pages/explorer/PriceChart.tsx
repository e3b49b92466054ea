import {
  Chart,
  digitsFor,
  formatSignificant,
  type Point,
  type QueryResult,
  QueryState,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { RANGES, type RangeName } from "./priceHistory.ts";

export interface PriceChartProps {
  label: string;
  unit: string;
  points: QueryResult<Point[]>;
  range: RangeName;
}

/** A price chart whose range is kept in the URL. */
export function PriceChart({ label, unit, points, range }: PriceChartProps) {
  const { t, language } = useTranslation();
  const names: Record<RangeName, string> = {
    day: t("Day"),
    week: t("Week"),
    month: t("Month"),
    year: t("Year"),
    all: t("All"),
  };
  const keys = Object.keys(RANGES).filter((key): key is RangeName => Object.hasOwn(RANGES, key));
  return (
    <>
      <nav className="row tight-row" aria-label={t("Range")}>
        {keys.map((key) => (
          <Link
            key={key}
            to="."
            search={(before: object) => ({ ...before, range: key })}
            replace
            resetScroll={false}
            className="chip"
            aria-current={key === range ? "true" : undefined}
          >
            {names[key]}
          </Link>
        ))}
      </nav>
      <p className="small soft">
        {label}, {unit}
      </p>
      <QueryState
        query={points}
        label={t("Loading prices")}
        skeleton={<Skeleton height="calc(220px + 1.5 * var(--text-s))" />}
      >
        {(known) => (
          <Chart
            label={`${label} (${unit})`}
            points={known}
            fromLowest
            format={(value, step) => formatSignificant(value, language, digitsFor(value, step))}
          />
        )}
      </QueryState>
    </>
  );
}
