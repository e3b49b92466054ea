import { useMoralis } from "@purse/react";
import { Link, useSearch } from "@tanstack/react-router";
import { Chart } from "../../design/Chart.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { Skeleton } from "../../design/states.tsx";
import { shortFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { chainName } from "../../wallet/chains.ts";
import { readPastValue, SPANS, type Span } from "./pastValue.ts";
import { type ChainHoldings, type ChainQuery, joinedHoldings } from "./tokenRows.ts";

/** A chip is the present one by the whole of what the address bar says. */
const EXACTLY = { exact: true, includeSearch: true, explicitUndefined: true };

/** It is read in many small questions. */
const PAST_MS = 60_000;

const LABELS: Record<Span, string> = { day: "Day", week: "Week", month: "Month", year: "Year" };

/** What the holdings were worth, a line for each chain: their newest blocks differ, so they cannot be added up. */
export function ValueChart({ address, holdings }: { address: string; holdings: readonly ChainQuery[] }) {
  const { t } = useTexts();
  const search = useSearch({ from: "/portfolio" });
  const span: Span = isSpan(search.span) ? search.span : "week";
  const { data: known, error } = joinedHoldings(holdings);
  const priced = known?.filter(({ assets }) =>
    assets.some(({ usdPrice, balance }) => usdPrice !== null && balance > 0n),
  );
  const isUnknown =
    error !== null || known?.some(({ assets }) => assets.some(({ hasPriceFailed }) => hasPriceFailed));
  return (
    <section className="card stack" aria-labelledby="value">
      <div className="section-head">
        <h2 id="value">{t("Value over time")}</h2>
        <nav className="chips" aria-label={t("Span")}>
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
                activeOptions={EXACTLY}
                aria-current={each === span ? "page" : undefined}
              >
                {t(LABELS[each])}
              </Link>
            ))}
        </nav>
      </div>
      {priced === undefined && error === null ? (
        <Skeleton height="250px" />
      ) : !priced || (priced.length === 0 && isUnknown) ? (
        <p className="soft">{t("The chart needs balances and prices, which could not be read.")}</p>
      ) : priced.length === 0 ? (
        <p className="soft">{t("There is no price for anything here, so there is no line to draw.")}</p>
      ) : (
        priced.map((each) => (
          <ChainLine key={each.chain.hexId} address={address} holdings={each} span={span} />
        ))
      )}
    </section>
  );
}

function ChainLine({ address, holdings, span }: { address: string; holdings: ChainHoldings; span: Span }) {
  const { t, count, language } = useTexts();
  const { Moralis } = useMoralis();
  const { chain, assets } = holdings;
  const past = useServerQuery({
    key: ["past value", address, chain.hexId, span],
    read: (options) => readPastValue(Moralis.Web3API, address, assets, span, options),
    timeoutMs: PAST_MS,
  });
  return (
    <QueryState query={past} label={t("Loading the value over time")} skeleton={<Skeleton height="250px" />}>
      {({ points, gaps }) => (
        <div>
          <Chart
            label={t("Value on {chain}", { chain: chainName(chain) })}
            points={points}
            format={(value) => shortFiat(value, language)}
          />
          <p className="small soft">
            {t("Up to the newest block of {chain}, by the prices of that time.", { chain: chainName(chain) })}{" "}
            {gaps > 0 &&
              count(
                gaps,
                "{n} moment is left out: not everything had a price then.",
                "{n} moments are left out: not everything had a price then.",
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
