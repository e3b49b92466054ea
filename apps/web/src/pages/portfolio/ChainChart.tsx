import { useMoralis } from "@purse/react";
import { Chart, QueryState, Skeleton, useTranslation } from "@purse/ui";
import { formatCompactFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { chainName } from "../../settings.ts";
import type { ChainHoldings } from "./tokenRows.ts";
import { readValueHistory, type Span } from "./valueHistory.ts";

/** Timeout; the history takes many small requests. */
const HISTORY_TIMEOUT_MS = 60_000;

export interface ChainChartProps {
  address: string;
  holdings: ChainHoldings;
  span: Span;
}

/** The past value of what an address holds on one chain. */
export function ChainChart({ address, holdings, span }: ChainChartProps) {
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
            format={(value, step) => formatCompactFiat(value, language, step)}
            fromLowest
          />
          <p className="small soft">
            {t(
              "Balances and prices of the time, with deposits and withdrawals, up to the latest block of {chain}.",
              {
                chain: chainName(chain, t),
              },
            )}{" "}
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
