import { LazySection, Skeleton, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy } from "react";
import { EXACT_MATCH } from "../../components/exactMatch.ts";
import { type ChainQuery, combineHoldings } from "./tokenRows.ts";
import { SPANS, type Span } from "./valueHistory.ts";

/** The page shows the tokens before the library of charts has loaded. */
const ChainChart = lazy(() => import("./ChainChart.tsx").then((module) => ({ default: module.ChainChart })));

const LABELS: Record<Span, string> = { day: "Day", week: "Week", month: "Month", year: "Year" };

/** The value history, one chart per chain because their latest blocks differ. */
export function ValueChart({ address, holdings }: { address: string; holdings: readonly ChainQuery[] }) {
  const { t } = useTranslation();
  const search = useSearch({ from: "/portfolio" });
  const span: Span = isSpan(search.span) ? search.span : "week";
  const { data: known, error } = combineHoldings(holdings);
  const priced = known?.filter(({ assets }) =>
    assets.some(({ usdPrice, balance }) => usdPrice !== null && balance > 0n),
  );
  return (
    <section className="card stack" aria-labelledby="value">
      <div className="row spread">
        <h2 id="value">{t("Value history")}</h2>
        <nav className="chips" aria-label={t("Time range")}>
          {Object.keys(SPANS)
            .filter(isSpan)
            .map((each) => (
              <Link
                key={each}
                to="/portfolio"
                search={(before) => ({ ...before, span: each === "week" ? undefined : each })}
                className="chip"
                resetScroll={false}
                replace
                activeOptions={EXACT_MATCH}
                aria-current={each === span ? "page" : undefined}
              >
                {t(LABELS[each])}
              </Link>
            ))}
        </nav>
      </div>
      {priced === undefined && error === null ? (
        <Skeleton height="250px" />
      ) : !priced || (priced.length === 0 && error !== null) ? (
        <p className="soft">{t("Chart unavailable: balances or prices could not be loaded.")}</p>
      ) : priced.length === 0 ? (
        <p className="soft">{t("No price data available for these assets.")}</p>
      ) : (
        priced.map((each) => (
          <LazySection key={each.chain.hexId} fallback={<Skeleton height="250px" />}>
            <ChainChart address={address} holdings={each} span={span} />
          </LazySection>
        ))
      )}
    </section>
  );
}

function isSpan(text: string | undefined): text is Span {
  return text !== undefined && Object.hasOwn(SPANS, text);
}
