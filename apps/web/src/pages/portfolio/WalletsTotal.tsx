import { useMoralis } from "@purse/react";
import { FailedRead, Skeleton, useTranslation } from "@purse/ui";
import { formatFiat } from "../../money/fiat.ts";
import { useServerQueries } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { readHoldings } from "../../wallet/holdings.ts";
import { portfolioTotal } from "./portfolioTotal.ts";
import { useSpamOverrides } from "./spamOverrides.ts";
import { combineHoldings } from "./tokenRows.ts";

export interface WalletsTotalProps {
  wallets: readonly string[];
  chains: readonly AppChain[];
}

/** The total value of several wallets on the shown chains. It is not shown before all of it is known. */
export function WalletsTotal({ wallets, chains }: WalletsTotalProps) {
  const { t, language } = useTranslation();
  const { Moralis } = useMoralis();
  const { overrides } = useSpamOverrides();
  const all = wallets.flatMap((address) => chains.map((chain) => ({ address, chain })));
  const found = useServerQueries(
    all.map(({ address, chain }) => ({
      // The page of the wallet shares them.
      queryKey: ["holdings", address, chain.hexId],
      queryFn: (options: { signal: AbortSignal }) => readHoldings(Moralis.Web3API, address, chain, options),
    })),
  );
  const holdings = combineHoldings(
    all.flatMap(({ chain }, i) => {
      const query = found[i];
      return query ? [{ chain, query }] : [];
    }),
  );
  if (holdings.error !== null) {
    return (
      <FailedRead query={{ ...holdings, data: undefined }}>
        {t("Total of all wallets unavailable")}
      </FailedRead>
    );
  }
  const total = holdings.data && portfolioTotal(holdings.data, overrides);
  return (
    <p className="small">
      {t("All wallets:")}{" "}
      <strong className="number">
        {!total ? (
          <Skeleton width="6rem" height="1em" />
        ) : total.usd === null ? (
          t("Prices unavailable")
        ) : (
          formatFiat(total.usd, language)
        )}
      </strong>
    </p>
  );
}
