import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  EmptyState,
  ErrorState,
  LazySection,
  RelativeTime,
  Skeleton,
  StaleNote,
  useTranslation,
} from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, useCallback, useDeferredValue, useRef } from "react";
import { EXACT_MATCH } from "../../components/exactMatch.ts";
import { formatFiat, formatFiatChange, formatPercentChange } from "../../money/fiat.ts";
import { useServerQueries } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { type AppChain, chainName } from "../../settings.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { Faucet } from "../../wallet/Faucet.tsx";
import { readHoldings } from "../../wallet/holdings.ts";
import { useAddress } from "../../wallet/useAddress.ts";
import { AddressChips, WatchButton } from "./AddressChips.tsx";
import { AddressForm } from "./AddressForm.tsx";
import { NamePrompt } from "./NamePrompt.tsx";
import { portfolioTotal } from "./portfolioTotal.ts";
import { Receive } from "./Receive.tsx";
import { SwapLink } from "./SwapLink.tsx";
import { type SpamOverrides, useSpamOverrides } from "./spamOverrides.ts";
import { Tokens } from "./Tokens.tsx";
import { type ChainQuery, combineHoldings } from "./tokenRows.ts";
import { useRefreshOnReturn } from "./useRefreshOnReturn.ts";
import "./Portfolio.css";

let hasDetails = false;

/** What follows the total and the tokens: the first view does not need its code. */
const Details = lazy(() =>
  import("./Details.tsx").then((module) => {
    hasDetails = true;
    return { default: module.Details };
  }),
);

const Welcome = lazy(() => import("./Welcome.tsx").then((module) => ({ default: module.Welcome })));

/** The holdings of an address on one or all chains. */
export function Portfolio() {
  const { t } = useTranslation();
  usePageTitle(t("Portfolio"));
  const { address: ownAddress, ...own } = useAddress();
  const search = useSearch({ from: "/portfolio" });
  const isValidAddress = search.address === undefined || /^0x[0-9a-fA-F]{40}$/.test(search.address);
  const address = (search.address ?? ownAddress)?.toLowerCase();
  const { chains } = useSettings();
  const shown = chains.filter((chain) => !search.chain || chain.hexId === search.chain.toLowerCase());
  return (
    <>
      <div className="page-head">
        <h1>{t("Portfolio")}</h1>
        {chains.length > 0 && <ChainChips chains={chains} chosen={search.chain} />}
      </div>
      <AddressChips
        own={ownAddress?.toLowerCase()}
        isConnected={own.isConnected}
        primary={own.primary}
        shown={address}
        chains={shown}
      />
      {!isValidAddress ? (
        <div className="card">
          <EmptyState
            title={t("Invalid address")}
            action={
              <Link to="/portfolio" search={{}} className="button">
                {t("My portfolio")}
              </Link>
            }
          >
            {t("Expected 0x followed by 40 hex characters.")}
          </EmptyState>
          <AddressForm />
        </div>
      ) : address && shown.length > 0 ? (
        <Holdings
          key={`${address}/${shown.map((chain) => chain.hexId)}`}
          address={address}
          chains={shown}
          isOwn={address === ownAddress?.toLowerCase()}
        />
      ) : address ? (
        <div className="card">
          <EmptyState title={t("Chain not supported")}>
            {t("This server does not index this chain.")}
          </EmptyState>
        </div>
      ) : (
        <LazySection>
          <Welcome />
        </LazySection>
      )}
    </>
  );
}

function ChainChips({ chains, chosen }: { chains: readonly AppChain[]; chosen: string | undefined }) {
  const { t } = useTranslation();
  const all: { hexId: string | undefined; label: string }[] = [{ hexId: undefined, label: t("All chains") }];
  const chips = all.concat(chains.map((chain) => ({ hexId: chain.hexId, label: chainName(chain, t) })));
  return (
    <nav className="chips" aria-label={t("Chains")}>
      {chips.map(({ hexId, label }) => (
        <Link
          key={hexId ?? "all"}
          to="/portfolio"
          search={(before) => ({ ...before, chain: hexId })}
          className="chip"
          activeOptions={EXACT_MATCH}
          aria-current={chosen === hexId ? "page" : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function Holdings({ address, chains, isOwn }: { address: string; chains: AppChain[]; isOwn: boolean }) {
  const { Moralis } = useMoralis();
  // A failing chain does not affect the others.
  const found = useServerQueries(
    chains.map((chain) => ({
      queryKey: ["holdings", address, chain.hexId],
      queryFn: (options: { signal: AbortSignal }) => readHoldings(Moralis.Web3API, address, chain, options),
    })),
  );
  const holdings = chains.flatMap((chain, i): ChainQuery[] => {
    const query = found[i];
    return query ? [{ chain, query }] : [];
  });
  const spamOverrides = useSpamOverrides();
  // The balances are requested before the code of the details. Once it is loaded, the page has its whole height at once.
  const isShown = useDeferredValue(true, hasDetails);
  const refetch = useRef(() => {});
  refetch.current = () => void combineHoldings(holdings).refetch();
  useRefreshOnReturn(useCallback(() => refetch.current(), []));
  return (
    <div className="stack" style={{ gap: "1.5rem" }}>
      {isOwn && <NamePrompt />}
      <Total address={address} holdings={holdings} overrides={spamOverrides.overrides} isOwn={isOwn} />
      <Tokens holdings={holdings} isOwn={isOwn} {...spamOverrides} />
      {isShown && (
        <LazySection>
          <Details address={address} chains={chains} holdings={holdings} isOwn={isOwn} />
        </LazySection>
      )}
    </div>
  );
}

interface TotalProps {
  address: string;
  holdings: readonly ChainQuery[];
  overrides: SpamOverrides;
  isOwn: boolean;
}

function Total({ address, holdings, overrides, isOwn }: TotalProps) {
  const { t, language } = useTranslation();
  const all = combineHoldings(holdings);
  const total = all.data && portfolioTotal(all.data, overrides);
  const unreachableChains = holdings.filter(({ query }) => query.error !== null && query.data === undefined);
  return (
    <section className="card stack" aria-label={t("Total value")}>
      <Address address={address} copy />
      {(total || unreachableChains.length < holdings.length) && (
        <div>
          <p className="total number">
            {!total ? (
              <Skeleton width="12rem" height="1em" />
            ) : total.usd === null ? (
              t("Prices unavailable")
            ) : (
              formatFiat(total.usd, language)
            )}
          </p>
          {total && total.change !== null && total.percent !== null && (
            <p className="number" data-trend={trendOf(total.change)}>
              {formatFiatChange(total.change, language)} ({formatPercentChange(total.percent, language)}){" "}
              <span className="small soft">{t("by price changes in 24 hours")}</span>
            </p>
          )}
          <div className="total-about" data-stale={all.error !== null || undefined}>
            <StaleNote query={all} />
            <p className="small soft">
              {!total
                ? t("Loading balances and prices…")
                : total.missingPrices > 0
                  ? t("{n, plural, one {Price missing for # asset} other {Prices missing for # assets}}", {
                      n: total.missingPrices,
                    })
                  : t("Priced from on-chain pools")}
              {total && (
                <>
                  <span className="beside"> · </span>
                  <span className="read-at">
                    {t("updated")} <RelativeTime at={all.dataUpdatedAt} />
                  </span>
                </>
              )}
            </p>
          </div>
        </div>
      )}
      {unreachableChains.map(({ chain, query }) => (
        <div key={chain.hexId}>
          {holdings.length > 1 && (
            <p className="small">{t("{chain} is not responding:", { chain: chainName(chain, t) })}</p>
          )}
          <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
        </div>
      ))}
      <div className="row">
        {isOwn && (
          <Link to="/send" search={{}} className="button primary">
            {t("Send")}
          </Link>
        )}
        {isOwn && <SwapLink chains={holdings.map(({ chain }) => chain)} />}
        {isOwn && <Receive address={address} chains={holdings.map(({ chain }) => chain)} />}
        {isOwn && <Faucet address={address} onReceived={() => void all.refetch()} />}
        {!isOwn && <WatchButton address={address} />}
        <Button onClick={() => void all.refetch()} busy={all.isFetching}>
          {t("Refresh")}
        </Button>
        <AddressForm />
      </div>
    </section>
  );
}

/** Changes of less than a cent have no color. */
function trendOf(change: number): "up" | "down" | undefined {
  if (Math.abs(change) < 0.01) return undefined;
  return change < 0 ? "down" : "up";
}
