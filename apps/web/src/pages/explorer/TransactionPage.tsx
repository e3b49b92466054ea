import type { BlockTransaction } from "@purse/client";
import {
  CopyButton,
  Detail,
  DetailList,
  FailedRead,
  formatNumber,
  formatPercent,
  isNotFound,
  Status,
  useTranslation,
} from "@purse/ui";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { gasPriceUnit, isCoinUnit } from "../../money/coin.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { CoinAmount, integerOf } from "./Amount.tsx";
import { BlockTime } from "./BlockTime.tsx";
import { CallInput } from "./CallInput.tsx";
import { getTransaction } from "./dataApi.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { AddressLink, BlockLink } from "./EntityLinks.tsx";
import { EntityPage, EntityTabs, InvalidEntity } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { Finality } from "./Finality.tsx";
import { InternalCalls } from "./InternalCalls.tsx";
import { MethodChip } from "./MethodChip.tsx";
import { MissingTransaction } from "./MissingTransaction.tsx";
import { readNonceNeighbors } from "./nonceNeighbors.ts";
import { RevertReason } from "./RevertReason.tsx";
import { rememberTransaction } from "./recentlyViewed.ts";
import { TokenFlows } from "./TokenFlows.tsx";
import { TransactionLogs } from "./TransactionLogs.tsx";
import { feeOf } from "./tables.tsx";
import { UnitSwitch } from "./UnitSwitch.tsx";

export function TransactionPage() {
  const { hash } = useParams({ from: "/explorer/tx/$hash" });
  const { t } = useTranslation();
  usePageTitle(t("Transaction {hash}", { hash: `${hash.slice(0, 10)}…` }));
  const lowerHash = hash.toLowerCase();
  if (!/^0x[0-9a-f]{64}$/.test(lowerHash)) {
    return (
      <InvalidEntity heading={t("Transaction")} title={t("Invalid transaction hash")}>
        {t("Expected 0x followed by 64 hex characters.")}
      </InvalidEntity>
    );
  }
  return <TransactionDetails key={lowerHash} hash={lowerHash} />;
}

function TransactionDetails({ hash }: { hash: string }) {
  const { t } = useTranslation();
  const { chain, final } = useExplorer();
  const [isSettled, setIsSettled] = useState(false);
  const found = useLiveDataQuery(getTransaction, { chain: chain.hexId, transaction_hash: hash }, !isSettled);
  const data = isNotFound(found.error) ? undefined : found.data;
  const isFinal = Boolean(data && final !== undefined && Number(data.block_number) <= final);
  if (isFinal !== isSettled) setIsSettled(isFinal);
  if (data) rememberTransaction(chain.hexId, data);
  return (
    <EntityPage
      heading={t("Transaction")}
      actions={data && <MethodChip input={data.input} isCreation={!data.to_address} />}
      query={found}
      loadingLabel={t("Loading transaction")}
      skeletonRows={8}
      notFound={<MissingTransaction hash={hash} refetch={() => void found.refetch()} />}
      render={(transaction) => (
        <EntityTabs
          label={t("Transaction sections")}
          tabs={[
            { key: "overview", label: t("Overview"), content: () => <Summary transaction={transaction} /> },
            {
              key: "logs",
              label: t("{n, plural, one {# log} other {# logs}}", { n: transaction.logs.length }),
              content: () => <TransactionLogs logs={transaction.logs} />,
            },
            { key: "calls", label: t("Internal calls"), content: () => <InternalCalls hash={hash} /> },
          ]}
        />
      )}
    >
      <p className="row tight-row">
        <span className="address">{hash}</span>
        <CopyButton text={hash} label={t("hash")} />
      </p>
    </EntityPage>
  );
}

function Summary({ transaction }: { transaction: BlockTransaction }) {
  const { t, language } = useTranslation();
  const { receipt_status: status, to_address: to, receipt_contract_address: createdAddress } = transaction;
  const share = Number(transaction.receipt_gas_used) / Math.max(1, Number(transaction.gas));
  const { unit: chosen } = useSearch({ from: "/explorer/tx/$hash" });
  const { nativeCurrency } = useExplorer().chain;
  const unit = nativeCurrency.decimals === 18 && isCoinUnit(chosen) ? chosen : undefined;
  return (
    <>
      {status === "0" && <RevertReason transaction={transaction} />}
      <section className="card" aria-label={t("Transaction")}>
        <DetailList className="explorer-facts">
          <Detail label={t("Status")}>
            <span className="row tight-row">
              {status === "0" ? (
                <Status kind="danger">{t("Reverted")}</Status>
              ) : status === "1" ? (
                <Status kind="ok">{t("Success")}</Status>
              ) : (
                <Status kind="idle">{t("Unknown")}</Status>
              )}
              <Finality block={Number(transaction.block_number)} />
            </span>
          </Detail>
          <Detail label={t("Block")}>
            <BlockLink block={transaction.block_number} />{" "}
            <span className="soft">
              {t("Position {index} in block", {
                index: formatNumber(Number(transaction.transaction_index), language),
              })}
            </span>
          </Detail>
          <Detail label={t("Time")}>
            <BlockTime at={transaction.block_timestamp} />
          </Detail>
          <Detail label={t("From")}>
            <AddressLink address={transaction.from_address} isFull />
            <CopyButton text={transaction.from_address} label={t("sender")} />
          </Detail>
          <Detail label={to ? t("To") : t("Contract created")}>
            {to || createdAddress ? (
              <>
                <AddressLink address={to || createdAddress || ""} isFull />
                <CopyButton
                  text={to || createdAddress || ""}
                  label={to ? t("recipient") : t("new contract")}
                />
              </>
            ) : (
              <span className="soft">{t("Contract creation failed")}</span>
            )}
          </Detail>
          <Detail label={t("Value")}>
            <span className="row tight-row">
              <CoinAmount wei={transaction.value} unit={unit} />
              <UnitSwitch unit={unit} />
            </span>
          </Detail>
          <Detail label={t("Fee")}>
            <CoinAmount wei={feeOf(transaction.receipt_gas_used, transaction.gas_price)} unit={unit} />
          </Detail>
          <Detail label={t("Gas")}>
            <span className="number">
              {formatNumber(Number(transaction.receipt_gas_used), language)}{" "}
              <span className="soft">
                {t("of {limit, number} ({percent})", {
                  limit: Number(transaction.gas),
                  percent: formatPercent(share, language, 1),
                })}
              </span>
            </span>
          </Detail>
          <Detail label={t("Gas price")}>
            <CoinAmount
              wei={transaction.gas_price}
              unit={unit ?? gasPriceUnit(integerOf(transaction.gas_price))}
            />
          </Detail>
          <Detail label={t("Nonce")}>
            <NonceNeighbors transaction={transaction} />
          </Detail>
        </DetailList>
      </section>
      <TokenFlows transaction={transaction} />
      <CallInput input={transaction.input} to={to || undefined} />
    </>
  );
}

/** The nonce with links to the sender's neighboring transactions. */
function NonceNeighbors({ transaction }: { transaction: BlockTransaction }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const neighbors = useDataQuery(readNonceNeighbors, {
    chain: chain.hexId,
    from: transaction.from_address,
    nonce: transaction.nonce,
    block: transaction.block_number,
  });
  const { data } = neighbors;
  return (
    <div className="row tight-row">
      <span className="number">{transaction.nonce}</span>
      {data?.previous && (
        <Link to="/explorer/tx/$hash" params={{ hash: data.previous }} className="chip">
          {t("Previous nonce")}
        </Link>
      )}
      {data?.next && (
        <Link to="/explorer/tx/$hash" params={{ hash: data.next }} className="chip">
          {t("Next nonce")}
        </Link>
      )}
      <FailedRead query={neighbors}>{t("Neighboring transactions could not be loaded")}</FailedRead>
    </div>
  );
}
