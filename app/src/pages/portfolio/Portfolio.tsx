import { useMoralis } from "@purse/react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Moment } from "../../design/Moment.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../design/states.tsx";
import { displayFiat, worth } from "../../money/fiat.ts";
import { useSettings } from "../../SettingsContext.tsx";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { chainName } from "../../wallet/chains.ts";
import { readHoldings } from "../../wallet/holdings.ts";
import { useAddress } from "../../wallet/useAddress.ts";
import { type Asked, useAsk } from "../../wallet/useAsk.ts";
import { History } from "./History.tsx";
import { Nfts } from "./Nfts.tsx";
import { Tokens } from "./Tokens.tsx";
import { type ChainHoldings, tokenRows } from "./tokenRows.ts";
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
  const holdings = useAsk(`${address}`, () =>
    Promise.all(
      chains.map(async (chain): Promise<ChainHoldings> => {
        try {
          return { chain, assets: await readHoldings(Moralis.Web3API, address, chain), error: undefined };
        } catch (error) {
          return { chain, assets: [], error };
        }
      }),
    ),
  );
  const judging = useVerdicts();
  useFresh(holdings.again);
  return (
    <div className="stack" style={{ gap: "1.5rem" }}>
      <Total address={address} holdings={holdings} verdicts={judging.verdicts} isOwn={isOwn} />
      <ValueChart address={address} holdings={holdings.data} />
      <Tokens holdings={holdings} isOwn={isOwn} {...judging} />
      <Nfts address={address} chains={chains} isOwn={isOwn} />
      <History address={address} chains={chains} assets={holdings.data?.flatMap((each) => each.assets)} />
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
  holdings: Asked<ChainHoldings[]>;
  verdicts: Verdicts;
  isOwn: boolean;
}) {
  const { t, count, language } = useTexts();
  // What is likely to be spam counts for nothing, whatever its pools say.
  const assets =
    holdings.data &&
    tokenRows(holdings.data, verdicts).good.flatMap(({ asset }) => (asset.balance > 0n ? [asset] : []));
  const priced = assets?.filter((asset) => asset.usdPrice !== null) ?? [];
  const total = priced.reduce(
    (sum, asset) => sum + worth(asset.balance, asset.decimals, asset.usdPrice ?? 0),
    0,
  );
  const missing = (assets?.length ?? 0) - priced.length;
  const failed = holdings.data?.filter((each) => each.error !== undefined) ?? [];
  return (
    <section className="card stack" aria-label={t("Total value")}>
      <Address address={address} copy />
      {holdings.error ? (
        <ErrorState error={holdings.error} retry={holdings.again} />
      ) : (
        <div>
          <p className="total number">
            {assets === undefined ? (
              <Skeleton width="12rem" height="1em" />
            ) : priced.length === 0 ? (
              t("No prices")
            ) : (
              displayFiat(total, language)
            )}
          </p>
          <p className="small soft">
            {assets === undefined
              ? t("Reading balances and prices …")
              : missing > 0
                ? count(missing, "Price missing for {n} asset", "Prices missing for {n} assets")
                : t("By the pools that this server knows")}
            {holdings.at !== undefined && (
              <>
                {" · "}
                {t("read")} <Moment at={holdings.at} />
              </>
            )}
          </p>
        </div>
      )}
      {failed.map(({ chain, error }) => (
        <div key={chain.hexId}>
          <p className="small">{t("{chain} does not answer:", { chain: chainName(chain) })}</p>
          <ErrorState error={error} retry={holdings.again} />
        </div>
      ))}
      <div className="row">
        {isOwn && (
          <Link to="/send" search={{}} className="button primary">
            {t("Send")}
          </Link>
        )}
        <Button onClick={holdings.again} busy={holdings.isAsking}>
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
