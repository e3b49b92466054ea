import { useMoralis } from "@purse/react";
import { EmptyState, QueryState, SkeletonList, useTranslation } from "@purse/ui";
import { Link, useSearch } from "@tanstack/react-router";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { RequireWallet } from "../../wallet/RequireWallet.tsx";
import { TransactionStatus } from "../../wallet/TransactionStatus.tsx";
import { Review } from "./Review.tsx";
import { RevokeReview } from "./RevokeReview.tsx";
import { SendForm } from "./SendForm.tsx";
import { readSendables } from "./sendable.ts";
import { useAddressBook } from "./useAddressBook.ts";
import "./Send.css";

/** Sends assets of the connected wallet: form, review and transaction status. */
export function Send() {
  const { t } = useTranslation();
  const { tx, chain: chainParam, revoke } = useSearch({ from: "/send" });
  usePageTitle(revoke ? t("Revoke approval") : t("Send"));
  return (
    <div className="narrow">
      <div className="page-head">
        <h1>{revoke ? t("Revoke approval") : t("Send")}</h1>
      </div>
      {tx ? (
        <div className="card stack">
          <TransactionStatus hash={tx} chain={chainParam} />
          <div className="row">
            <Link to="/send" search={{}} className="button">
              {t("Send again")}
            </Link>
            <Link to="/portfolio" search={{}} className="button quiet">
              {t("Portfolio")}
            </Link>
          </div>
        </div>
      ) : (
        <RequireWallet chain={chainParam} purpose={t("Connect a wallet to send.")}>
          {({ account, chain }) =>
            revoke ? (
              <RevokeReview account={account} chain={chain} kind={revoke} />
            ) : (
              <SendLoader key={`${account}/${chain.hexId}`} account={account} chain={chain} />
            )
          }
        </RequireWallet>
      )}
    </div>
  );
}

function SendLoader({ account, chain }: { account: string; chain: AppChain }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const { step, asset } = useSearch({ from: "/send" });
  const book = useAddressBook();
  const sendables = useServerQuery({
    queryKey: ["sendables", account.toLowerCase(), chain.hexId],
    queryFn: (options) => readSendables(Moralis.Web3API, account.toLowerCase(), chain, options),
    isUncached: true,
  });
  return (
    <QueryState
      query={sendables}
      label={t("Loading balance…")}
      skeleton={<SkeletonList rows={3} label={t("Loading balance…")} />}
    >
      {(items) => {
        const item = items.find(({ key }) => key === (asset ?? "native").toLowerCase());
        if (!item) {
          return (
            <EmptyState
              title={t("Asset not found in this wallet")}
              action={
                <Link to="/send" search={{ chain: chain.hexId }} className="button">
                  {t("Choose another asset")}
                </Link>
              }
            />
          );
        }
        const shared = { account, chain, item, book };
        const coin = items.find(({ key }) => key === "native");
        return step === "review" ? (
          <Review {...shared} coin={coin} />
        ) : (
          <SendForm {...shared} items={items} />
        );
      }}
    </QueryState>
  );
}
