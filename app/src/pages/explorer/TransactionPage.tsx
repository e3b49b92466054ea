import type { BlockTransaction } from "@purse/client";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { CopyButton } from "../../design/CopyButton.tsx";
import { Moment } from "../../design/Moment.tsx";
import { FailedRead, QueryState } from "../../design/QueryState.tsx";
import { Status } from "../../design/Status.tsx";
import { EmptyState, SkeletonList } from "../../design/states.tsx";
import { Tabs } from "../../design/Tabs.tsx";
import { isNotFound } from "../../query/failures.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { nonceSiblings, useAnswer, useLiveAnswer } from "./answers.ts";
import { CallInput } from "./CallInput.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { InternalCalls } from "./InternalCalls.tsx";
import { MissingTransaction } from "./MissingTransaction.tsx";
import { AddressLink, Amount, BlockLink, Coins, Fact, Facts, Finality, MethodChip } from "./parts.tsx";
import { getTransaction } from "./quietly.ts";
import { RevertReason } from "./RevertReason.tsx";
import { remember } from "./seen.ts";
import { TokenFlows } from "./TokenFlows.tsx";
import { TransactionLogs } from "./TransactionLogs.tsx";
import { fee } from "./tables.tsx";

export function TransactionPage() {
  const { hash } = useParams({ from: "/explorer/tx/$hash" });
  const { t } = useTexts();
  usePageTitle(t("Transaction {hash}", { hash: `${hash.slice(0, 10)}…` }));
  const wanted = hash.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(wanted)) {
    return (
      <>
        <h1>{t("Transaction")}</h1>
        <EmptyState title={t("That is no transaction")}>
          {t("The hash of a transaction has 64 digits after 0x.")}
        </EmptyState>
      </>
    );
  }
  return <TransactionOf key={wanted} hash={wanted} />;
}

function TransactionOf({ hash }: { hash: string }) {
  const { t, count } = useTexts();
  const { chain, final } = useExplorer();
  const { tab } = useSearch({ from: "/explorer/tx/$hash" });
  const navigate = useNavigate({ from: "/explorer/tx/$hash" });
  const [isSettled, setIsSettled] = useState(false);
  const found = useLiveAnswer(getTransaction, { chain: chain.hexId, transaction_hash: hash }, !isSettled);
  const data = isNotFound(found.error) ? undefined : found.data;
  const isFinal = Boolean(data && final !== undefined && Number(data.block_number) <= final);
  if (isFinal !== isSettled) setIsSettled(isFinal);
  if (data) remember(chain.hexId, data);
  const tabs = [
    { key: "overview", label: t("Overview") },
    { key: "logs", label: data ? count(data.logs.length, "{n} log", "{n} logs") : t("Logs") },
    { key: "calls", label: t("Internal calls") },
  ];
  const shown = tabs.find(({ key }) => key === tab)?.key ?? "overview";
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <h1>{t("Transaction")}</h1>
        {data && <MethodChip input={data.input} creates={!data.to_address} />}
      </div>
      <p className="row tight-row">
        <span className="address">{hash}</span>
        <CopyButton text={hash} label={t("hash")} />
      </p>
      <QueryState
        query={found}
        label={t("Loading the transaction")}
        skeleton={
          <div className="card">
            <SkeletonList rows={8} label={t("Loading the transaction")} />
          </div>
        }
        instead={(error) =>
          isNotFound(error) ? (
            <MissingTransaction hash={hash} again={() => void found.refetch()} />
          ) : undefined
        }
      >
        {(transaction) => (
          <Tabs
            label={t("Parts of the transaction")}
            tabs={tabs}
            value={shown}
            onChange={(key) =>
              void navigate({
                search: { tab: key === "overview" ? undefined : key },
                replace: true,
                resetScroll: false,
              })
            }
          >
            {shown === "overview" && <Summary transaction={transaction} />}
            {shown === "logs" && <TransactionLogs logs={transaction.logs} />}
            {shown === "calls" && <InternalCalls hash={hash} />}
          </Tabs>
        )}
      </QueryState>
    </div>
  );
}

function Summary({ transaction }: { transaction: BlockTransaction }) {
  const { t, language } = useTexts();
  const { receipt_status: status, to_address: to, receipt_contract_address: made } = transaction;
  const percent = (
    Number(transaction.receipt_gas_used) / Math.max(1, Number(transaction.gas))
  ).toLocaleString(language, { style: "percent", maximumFractionDigits: 1 });
  return (
    <>
      {status === "0" && <RevertReason transaction={transaction} />}
      <section className="card" aria-label={t("The transaction")}>
        <Facts>
          <Fact label={t("Status")}>
            <span className="row tight-row">
              {status === "0" ? (
                <Status kind="danger">{t("Reverted")}</Status>
              ) : status === "1" ? (
                <Status kind="ok">{t("Succeeded")}</Status>
              ) : (
                <Status kind="idle">{t("Not told in this block")}</Status>
              )}
              <Finality block={Number(transaction.block_number)} />
            </span>
          </Fact>
          <Fact label={t("Block")}>
            <BlockLink block={transaction.block_number} />{" "}
            <span className="soft">{t("at place {index}", { index: transaction.transaction_index })}</span>
          </Fact>
          <Fact label={t("Time")}>
            <span className="number">
              {new Date(transaction.block_timestamp).toLocaleString(language, {
                dateStyle: "long",
                timeStyle: "long",
              })}
            </span>{" "}
            <span className="soft">
              (<Moment at={transaction.block_timestamp} />)
            </span>
          </Fact>
          <Fact label={t("From")}>
            <AddressLink address={transaction.from_address} whole />
            <CopyButton text={transaction.from_address} label={t("sender")} />
          </Fact>
          <Fact label={to ? t("To") : t("Creates")}>
            {to || made ? (
              <>
                <AddressLink address={to || made || ""} whole />
                <CopyButton text={to || made || ""} label={to ? t("recipient") : t("new contract")} />
              </>
            ) : (
              <span className="soft">{t("Nothing came of it")}</span>
            )}
          </Fact>
          <Fact label={t("Value")}>
            <Coins wei={transaction.value} />
          </Fact>
          <Fact label={t("Fee")}>
            <Coins wei={fee(transaction.receipt_gas_used, transaction.gas_price)} />
          </Fact>
          <Fact label={t("Gas")}>
            <span className="number">
              {Number(transaction.receipt_gas_used).toLocaleString(language)}{" "}
              <span className="soft">
                {t("of {limit} ({percent})", { limit: Number(transaction.gas), percent })}
              </span>
            </span>
          </Fact>
          <Fact label={t("Gas price")}>
            <Amount value={transaction.gas_price} decimals={9} unit="Gwei" />
          </Fact>
          <Fact label={t("Nonce")}>
            <NonceSiblings transaction={transaction} />
          </Fact>
        </Facts>
      </section>
      <TokenFlows transaction={transaction} />
      <CallInput input={transaction.input} to={to || undefined} />
    </>
  );
}

/** The nonce, with the sender's transactions before and after it. */
function NonceSiblings({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTexts();
  const { chain } = useExplorer();
  const siblings = useAnswer(nonceSiblings, {
    chain: chain.hexId,
    from: transaction.from_address,
    nonce: transaction.nonce,
    block: transaction.block_number,
  });
  const { data } = siblings;
  return (
    <div className="row tight-row">
      <span className="number">{transaction.nonce}</span>
      {data?.before && (
        <Link to="/explorer/tx/$hash" params={{ hash: data.before }} className="chip">
          {t("The sender's one before")}
        </Link>
      )}
      {data?.after && (
        <Link to="/explorer/tx/$hash" params={{ hash: data.after }} className="chip">
          {t("The sender's next one")}
        </Link>
      )}
      <FailedRead query={siblings}>{t("The sender's other transactions could not be read")}</FailedRead>
    </div>
  );
}
