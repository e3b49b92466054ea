import { Web3API } from "@purse/client";
import { Detail, FailedRead, formatNumber, isUnavailable, Skeleton, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { formatFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { readHoldings } from "../../wallet/holdings.ts";
import { portfolioTotal } from "../portfolio/portfolioTotal.ts";
import { tokenRows } from "../portfolio/tokenRows.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** Symbols that are named at most. */
const MAX_SYMBOLS = 3;

/** What an address holds is worth, and its first tokens. Absent if the server does not know its tokens. */
export function AddressValue({ address }: { address: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const holdings = useServerQuery({
    queryKey: ["holdings", address, chain.hexId],
    queryFn: (options) => readHoldings(Web3API, address, chain, options),
  });
  if (!holdings.data && isUnavailable(holdings.error)) return null;
  return (
    <Detail label={t("Total value")}>
      <FailedRead query={holdings}>{t("Total value could not be loaded")}</FailedRead>
      {!holdings.data && holdings.error === null && <Skeleton width="8rem" />}
      {holdings.data && renderValue([{ chain, assets: holdings.data }])}
    </Detail>
  );

  function renderValue(all: Parameters<typeof portfolioTotal>[0]) {
    const { usd } = portfolioTotal(all, {});
    const symbols = tokenRows(all, {}).good.flatMap(({ asset }) =>
      asset.address !== null && asset.balance > 0n ? [asset.symbol.slice(0, 12)] : [],
    );
    return (
      <>
        <Link to="/portfolio" search={{ address, chain: chain.hexId }} className="number">
          {usd === null ? t("Prices unavailable") : formatFiat(usd, language)}
        </Link>
        {symbols.length > 0 && (
          <span className="soft">
            {" · "}
            {t("Tokens:")} <bdi>{symbols.slice(0, MAX_SYMBOLS).join(", ")}</bdi>
            {symbols.length > MAX_SYMBOLS && ` +${formatNumber(symbols.length - MAX_SYMBOLS, language)}`}
          </span>
        )}
      </>
    );
  }
}
