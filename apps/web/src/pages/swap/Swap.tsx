import { useMoralis } from "@purse/react";
import { EmptyState, QueryState, SkeletonList, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { RequireWallet } from "../../wallet/RequireWallet.tsx";
import { SentCalls } from "./SentCalls.tsx";
import { SentSwap } from "./SentSwap.tsx";
import { SwapForm } from "./SwapForm.tsx";
import { SwapReview } from "./SwapReview.tsx";
import { readSwapTokens } from "./swapTokens.ts";
import { useDex } from "./useDex.ts";
import "../send/Send.css";

/** Swaps coins and tokens of the connected wallet on exchanges, and wraps the native coin. */
export function Swap() {
  const { t } = useTranslation();
  usePageTitle(t("Swap"));
  const { account, isWeb3Enabled } = useMoralis();
  const { tx, calls, chain: chainParam } = useSearch({ from: "/swap" });
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>{t("Swap")}</h1>
      </div>
      {tx ? (
        <SentSwap hash={tx} chain={chainParam} />
      ) : calls && account && isWeb3Enabled ? (
        <SentCalls id={calls} chain={chainParam} />
      ) : (
        <RequireWallet chain={chainParam} purpose={t("Connect a wallet to swap.")}>
          {({ account, chain }) => (
            <SwapLoader key={`${account}/${chain.hexId}`} account={account} chain={chain} />
          )}
        </RequireWallet>
      )}
    </div>
  );
}

function SwapLoader({ account, chain }: { account: string; chain: AppChain }) {
  const { t } = useTranslation();
  const { step } = useSearch({ from: "/swap" });
  const dex = useDex();
  const tokens = useServerQuery({
    queryKey: ["swap tokens", account.toLowerCase(), chain.hexId],
    queryFn: (options) => readSwapTokens(account.toLowerCase(), chain, options),
    isUncached: true,
  });
  const skeleton = <SkeletonList rows={4} label={t("Loading balance…")} />;
  return (
    <QueryState query={dex} label={t("Loading balance…")} skeleton={skeleton}>
      {(hasDex) =>
        !hasDex && chain.wrappedNative === null ? (
          <EmptyState
            title={t("No exchange is configured")}
            action={
              <Link to="/send" search={{}} className="button">
                {t("Send")}
              </Link>
            }
          >
            {t("The operator of this server can add the plugin that swaps tokens.")}
          </EmptyState>
        ) : (
          <QueryState query={tokens} label={t("Loading balance…")} skeleton={skeleton}>
            {(items) =>
              step === "review" ? (
                <SwapReview account={account} chain={chain} items={items} />
              ) : (
                <SwapForm chain={chain} items={items} hasDex={hasDex} />
              )
            }
          </QueryState>
        )
      }
    </QueryState>
  );
}
