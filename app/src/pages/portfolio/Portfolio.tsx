import { useMoralis } from "@purse/react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Moment } from "../../design/Moment.tsx";
import { StaleNote } from "../../design/QueryState.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../design/states.tsx";
import { displayFiat, worth } from "../../money/fiat.ts";
import { useServerQueries } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { chainName } from "../../wallet/chains.ts";
import { readHoldings } from "../../wallet/holdings.ts";
import { useAddress } from "../../wallet/useAddress.ts";
import { History } from "./History.tsx";
import { Nfts } from "./Nfts.tsx";
import { Tokens } from "./Tokens.tsx";
import { type ChainQuery, joinedHoldings, knownHoldings, tokenRows } from "./tokenRows.ts";
import { useFresh } from "./useFresh.ts";
import { ValueChart } from "./ValueChart.tsx";
import { useVerdicts, type Verdicts } from "./verdicts.ts";
import "./Portfolio.css";

/** What an address holds, on one chain or on all. */
export function Portfolio() {
  const { t } = useTexts();
  usePageTitle(t("Portfolio"));
  const { address: own } = useAddress();
  const search = useSearch({ from: "/portfolio" });
  const isShape = search.address === undefined || /^0x[0-9a-fA-F]{40}$/.test(search.address);
  const address = (search.address ?? own)?.toLowerCase();
  const { chains } = useSettings();
  const shown = chains.filter((chain) => !search.chain || chain.hexId === search.chain.toLowerCase());
  return (
    <>
      <div className="page-head">
        <h1>{t("Portfolio")}</h1>
        {chains.length > 0 && <ChainChips chains={chains} chosen={search.chain} />}
      </div>
      {!isShape ? (
        <div className="card">
          <EmptyState
            title={t("That is not an address")}
            action={
              <Link to="/portfolio" search={{}} className="button">
                {t("Your own portfolio")}
              </Link>
            }
          >
            {t("An address is 0x and 40 digits from 0 to 9 and a to f.")}
          </EmptyState>
        </div>
      ) : address && shown.length > 0 ? (
        <Holdings
          key={`${address}/${shown.map((chain) => chain.hexId)}`}
          address={address}
          chains={shown}
          isOwn={address === own?.toLowerCase()}
        />
      ) : address ? (
        <div className="card">
          <EmptyState title={t("No chain to look at")}>
            {t("This server does not follow the chain that the address names.")}
          </EmptyState>
        </div>
      ) : (
        <div className="card">
          <EmptyState title={t("No wallet connected")} action={<ConnectWalletButton />}>
            {t("Connect a wallet to see what it holds.")}
          </EmptyState>
        </div>
      )}
    </>
  );
}

/** A chip is the present one by the whole of what the address bar says. */
const EXACTLY = { exact: true, includeSearch: true, explicitUndefined: true };

function ChainChips({ chains, chosen }: { chains: readonly AppChain[]; chosen: string | undefined }) {
  const { t } = useTexts();
  const all: { hexId: string | undefined; label: string }[] = [{ hexId: undefined, label: t("All chains") }];
  const chips = all.concat(chains.map((chain) => ({ hexId: chain.hexId, label: chainName(chain) })));
  return (
    <nav className="chips" aria-label={t("Chains")}>
      {chips.map(({ hexId, label }) => (
        <Link
          key={hexId ?? "all"}
          to="/portfolio"
          search={(before) => ({ ...before, chain: hexId })}
          className="chip"
          activeOptions={EXACTLY}
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
  // One chain that does not answer takes nothing from the others.
  const found = useServerQueries(
    chains.map((chain) => ({
      key: ["holdings", address, chain.hexId],
      read: (options: { signal: AbortSignal }) => readHoldings(Moralis.Web3API, address, chain, options),
    })),
  );
  const holdings = chains.flatMap((chain, i): ChainQuery[] => {
    const query = found[i];
    return query ? [{ chain, query }] : [];
  });
  const known = knownHoldings(holdings);
  const judging = useVerdicts();
  const refetch = useRef(() => {});
  refetch.current = () => void joinedHoldings(holdings).refetch();
  useFresh(useCallback(() => refetch.current(), []));
  return (
    <div className="stack" style={{ gap: "1.5rem" }}>
      <Total address={address} holdings={holdings} verdicts={judging.verdicts} isOwn={isOwn} />
      <ValueChart address={address} holdings={holdings} />
      <Tokens holdings={holdings} isOwn={isOwn} {...judging} />
      <Nfts address={address} chains={chains} isOwn={isOwn} />
      <History address={address} chains={chains} assets={known.flatMap((each) => each.assets)} />
    </div>
  );
}

function Total({
  address,
  holdings,
  verdicts,
  isOwn,
}: {
  address: string;
  holdings: readonly ChainQuery[];
  verdicts: Verdicts;
  isOwn: boolean;
}) {
  const { t, count, language } = useTexts();
  const all = joinedHoldings(holdings);
  // What is likely to be spam counts for nothing, whatever its pools say.
  const assets =
    all.data &&
    tokenRows(all.data, verdicts).good.flatMap(({ asset }) => (asset.balance > 0n ? [asset] : []));
  const priced = assets?.filter((asset) => asset.usdPrice !== null) ?? [];
  const total = priced.reduce(
    (sum, asset) => sum + worth(asset.balance, asset.decimals, asset.usdPrice ?? 0),
    0,
  );
  const unread = assets?.filter((asset) => asset.hasPriceFailed).length ?? 0;
  const missing = (assets?.length ?? 0) - priced.length - unread;
  const isUnknown = assets !== undefined && priced.length === 0 && assets.length > 0;
  const unreached = holdings.filter(({ query }) => query.error !== null && query.data === undefined);
  return (
    <section className="card stack" aria-label={t("Total value")}>
      <Address address={address} copy />
      {(assets !== undefined || unreached.length < holdings.length) && (
        <div>
          <p className="total number">
            {assets === undefined ? (
              <Skeleton width="12rem" height="1em" />
            ) : isUnknown ? (
              unread > 0 ? (
                "—"
              ) : (
                t("No prices")
              )
            ) : (
              displayFiat(total, language)
            )}
          </p>
          <div className="total-about" data-stale={all.error !== null || undefined}>
            <StaleNote query={all} />
            <p className="small soft">
              {assets === undefined
                ? t("Reading balances and prices …")
                : unread > 0
                  ? count(
                      unread,
                      "The price of {n} asset could not be read",
                      "The prices of {n} assets could not be read",
                    )
                  : missing > 0
                    ? count(missing, "Price missing for {n} asset", "Prices missing for {n} assets")
                    : t("By the pools that this server knows")}
              {assets !== undefined && (
                <>
                  <span className="beside"> · </span>
                  <span className="read-at">
                    {t("read")} <Moment at={all.dataUpdatedAt} />
                  </span>
                </>
              )}{" "}
              {unread > 0 && all.error === null && (
                <Button small look="quiet" busy={all.isFetching} onClick={() => void all.refetch()}>
                  {t("Try again")}
                </Button>
              )}
            </p>
          </div>
        </div>
      )}
      {unreached.map(({ chain, query }) => (
        <div key={chain.hexId}>
          {holdings.length > 1 && (
            <p className="small">{t("{chain} does not answer:", { chain: chainName(chain) })}</p>
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
        <Button onClick={() => void all.refetch()} busy={all.isFetching}>
          {t("Refresh")}
        </Button>
        <LookAt />
      </div>
    </section>
  );
}

/** Anybody's holdings are on the chain for everyone to read. */
function LookAt() {
  const { t } = useTexts();
  const navigate = useNavigate({ from: "/portfolio" });
  return (
    <form
      className="look-at"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget).get("address");
        const address = typeof typed === "string" ? typed.trim() : "";
        void navigate({ search: (before) => ({ ...before, address: address || undefined }) });
      }}
    >
      <input
        name="address"
        aria-label={t("Address to look at")}
        placeholder={t("Another address, 0x…")}
        spellCheck={false}
        autoComplete="off"
      />
      <Button small type="submit">
        {t("Look")}
      </Button>
    </form>
  );
}
