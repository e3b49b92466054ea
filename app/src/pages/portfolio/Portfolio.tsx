import { useERC20Balances, useERC20Transfers, useNativeBalance } from "@purse/react";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Address } from "../design/Address.tsx";
import { Button } from "../design/Button.tsx";
import { EmptyState, ErrorState, Skeleton, SkeletonList } from "../design/states.tsx";
import { displayAmount, exactAmount } from "../money/amount.ts";
import type { AppChain } from "../settings.ts";
import { usePageTitle } from "../usePageTitle.ts";
import { useAddress } from "../wallet/useAddress.ts";

export function Portfolio() {
  usePageTitle("Portfolio");
  const { address, chain } = useAddress();
  return (
    <>
      <div className="page-head">
        <h1>Portfolio</h1>
        {chain && <span className="pill">{chain.name === "localdevchain" ? "Local chain" : chain.name}</span>}
      </div>
      {address && chain ? (
        <Holdings key={`${address}/${chain.hexId}`} address={address} chain={chain} />
      ) : (
        <div className="card">
          <EmptyState
            title="No wallet yet"
            action={
              <Link to="/sign-in" search={{ next: "/portfolio" }} className="button primary">
                Connect a wallet
              </Link>
            }
          >
            Sign in with a wallet to see what it holds.
          </EmptyState>
        </div>
      )}
    </>
  );
}

function Holdings({ address, chain }: { address: string; chain: AppChain }) {
  const params = { address, chain: chain.hexId };
  const native = useNativeBalance(params, { autoFetch: true });
  const tokens = useERC20Balances(params, { autoFetch: true });
  const transfers = useERC20Transfers({ ...params, limit: 20 }, { autoFetch: true });
  const refresh = () => {
    void native.getBalances();
    void tokens.fetchERC20Balances();
    void transfers.fetchERC20Transfers();
  };
  useFresh(refresh);
  const { symbol, decimals } = chain.nativeCurrency;
  const wei = native.data?.balance === undefined ? undefined : BigInt(native.data.balance);
  return (
    <div className="stack" style={{ gap: "1.5rem" }}>
      <section className="card stack" aria-label="Native balance">
        <Address address={address} copy />
        {native.error ? (
          <ErrorState error={native.error} retry={refresh} />
        ) : (
          <p
            className="total number"
            title={wei === undefined ? undefined : `${exactAmount(wei, decimals)} ${symbol}`}
          >
            {wei === undefined ? (
              <Skeleton width="12rem" height="1em" />
            ) : (
              `${displayAmount(wei, decimals)} ${symbol}`
            )}
          </p>
        )}
        <div className="row">
          <Link to="/send" search={{}} className="button primary">
            Send
          </Link>
          <Button onClick={refresh} busy={native.isFetching || tokens.isFetching}>
            Refresh
          </Button>
        </div>
      </section>

      <section className="card stack" aria-labelledby="tokens">
        <h2 id="tokens">Tokens</h2>
        {tokens.error ? (
          <ErrorState error={tokens.error} retry={refresh} />
        ) : !tokens.data ? (
          <SkeletonList rows={3} label="Loading tokens" />
        ) : tokens.data.length === 0 ? (
          <EmptyState title="No tokens">This wallet has received none that it still holds.</EmptyState>
        ) : (
          <ul className="list">
            {tokens.data.map((token) => (
              <li key={token.token_address} className="asset">
                <span className="coin" aria-hidden="true">
                  {(token.symbol || "?").slice(0, 1)}
                </span>
                <span style={{ minWidth: 0 }}>
                  <span className="clip" style={{ display: "block", fontWeight: 560 }}>
                    {token.name || "Unnamed token"}
                  </span>
                  <span className="small soft">
                    <Address address={token.token_address} short />
                  </span>
                </span>
                <span
                  className="right number"
                  title={`${exactAmount(BigInt(token.balance), Number(token.decimals))} ${token.symbol ?? ""}`}
                >
                  <strong>{displayAmount(BigInt(token.balance), Number(token.decimals))}</strong>{" "}
                  <bdi className="soft">{token.symbol}</bdi>
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>

      <section className="card stack" aria-labelledby="transfers">
        <h2 id="transfers">Token transfers</h2>
        {transfers.error ? (
          <ErrorState error={transfers.error} retry={refresh} />
        ) : !transfers.data ? (
          <SkeletonList rows={4} label="Loading transfers" />
        ) : (
          <TransferList address={address} rows={transfers.data.result ?? []} tokens={tokens.data ?? []} />
        )}
      </section>
    </div>
  );
}

interface TransferRow {
  transaction_hash: string;
  address: string;
  block_timestamp: string;
  from_address: string;
  to_address: string;
  value: string;
}

interface TokenInfo {
  token_address: string;
  symbol: string;
  decimals: number | string;
}

function TransferList({
  address,
  rows,
  tokens,
}: {
  address: string;
  rows: TransferRow[];
  tokens: TokenInfo[];
}) {
  if (rows.length === 0) return <EmptyState title="Nothing has moved yet" />;
  const known = new Map(tokens.map((token) => [token.token_address, token]));
  return (
    <ul className="list">
      {rows.map((row) => {
        const sent = row.from_address === address.toLowerCase();
        const token = known.get(row.address);
        const amount = displayAmount(BigInt(row.value), Number(token?.decimals ?? 18));
        return (
          <li key={`${row.transaction_hash}/${row.value}/${row.to_address}`} className="transfer">
            <span style={{ minWidth: 0 }}>
              <span style={{ fontWeight: 560 }}>{sent ? "Sent to" : "Received from"}</span>
              <Address address={sent ? row.to_address : row.from_address} short />
            </span>
            <span className="right number">
              <span>
                {sent ? "−" : "+"}
                {amount} <bdi className="soft">{token?.symbol ?? "units"}</bdi>
              </span>
              <br />
              <Moment iso={row.block_timestamp} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** How long ago, with the exact time in the title. */
function Moment({ iso }: { iso: string }) {
  const then = new Date(iso);
  return (
    <time dateTime={iso} title={then.toString()} className="small soft">
      {then.toLocaleDateString(undefined, { dateStyle: "medium" })}
    </time>
  );
}

/** Looks again when somebody comes back to the page. */
function useFresh(refresh: () => void): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  });
}
