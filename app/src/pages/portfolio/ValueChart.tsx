import { useMoralis } from "@purse/react";
import { Link, useSearch } from "@tanstack/react-router";
import { Chart } from "../../design/Chart.tsx";
import { ErrorState, Skeleton } from "../../design/states.tsx";
import { shortFiat } from "../../money/fiat.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { chainName } from "../../wallet/chains.ts";
import { useAsk } from "../../wallet/useAsk.ts";
import { readPastValue, SPANS, type Span } from "./pastValue.ts";
import type { ChainHoldings } from "./tokenRows.ts";

/** A chip is the present one by the whole of what the address bar says. */
const EXACTLY = { exact: true, includeSearch: true, explicitUndefined: true };

const LABELS: Record<Span, string> = { day: "Day", week: "Week", month: "Month", year: "Year" };

/** What the holdings were worth, a line for each chain: their newest blocks differ, so they cannot be added up. */
export function ValueChart({
  address,
  holdings,
}: {
  address: string;
  holdings: ChainHoldings[] | undefined;
}) {
  const { t } = useTexts();
  const search = useSearch({ from: "/portfolio" });
  const span: Span = isSpan(search.span) ? search.span : "week";
  const priced = holdings?.filter(({ assets }) =>
    assets.some(({ usdPrice, balance }) => usdPrice !== null && balance > 0n),
  );
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
      {priced === undefined ? (
        <Skeleton height="250px" />
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
  const past = useAsk(`${address}/${chain.hexId}/${span}`, () =>
    readPastValue(Moralis.Web3API, address, assets, span),
  );
  if (past.error) return <ErrorState error={past.error} retry={past.again} />;
  if (!past.data) return <Skeleton height="250px" />;
  const { points, gaps } = past.data;
  return (
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
  );
}

function isSpan(text: string | undefined): text is Span {
  return text !== undefined && Object.hasOwn(SPANS, text);
}
