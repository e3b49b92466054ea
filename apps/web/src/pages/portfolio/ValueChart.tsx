import { useMoralis } from "@purse/react";
import { Chart, QueryState, Skeleton, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { formatCompactFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { chainName } from "../../wallet/chains.ts";
import { type ChainHoldings, type ChainQuery, combineHoldings } from "./tokenRows.ts";
import { readValueHistory, SPANS, type Span } from "./valueHistory.ts";

/** A chip is active only if the whole search matches. */
const EXACT_MATCH = { exact: true, includeSearch: true, explicitUndefined: true };

/** Timeout; the history takes many small requests. */
const HISTORY_TIMEOUT_MS = 60_000;

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
      <div className="section-head">
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
          <ChainChart key={each.chain.hexId} address={address} holdings={each} span={span} />
        ))
      )}
    </section>
  );
}

function ChainChart({ address, holdings, span }: { address: string; holdings: ChainHoldings; span: Span }) {
  const { t, language } = useTranslation();
  const { Moralis } = useMoralis();
  const { chain, assets } = holdings;
  const history = useServerQuery({
    queryKey: ["past value", address, chain.hexId, span],
    queryFn: (options) => readValueHistory(Moralis.Web3API, address, assets, span, options),
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  return (
    <QueryState query={history} label={t("Loading value history")} skeleton={<Skeleton height="250px" />}>
      {({ points, gaps }) => (
        <div>
          <Chart
            label={t("Value on {chain}", { chain: chainName(chain, t) })}
            points={points}
            format={(value) => formatCompactFiat(value, language)}
            fromLowest
          />
          <p className="small soft">
            {t("Historical prices, up to the latest block of {chain}.", { chain: chainName(chain, t) })}{" "}
            {gaps > 0 &&
              t(
                "{n, plural, one {# point skipped: some prices were missing.} other {# points skipped: some prices were missing.}}",
                { n: gaps },
              )}
          </p>
        </div>
      )}
    </QueryState>
  );
}

function isSpan(text: string | undefined): text is Span {
  return text !== undefined && Object.hasOwn(SPANS, text);
}
