import { Web3API } from "@purse/client";
import { Address, EmptyState, QueryState, ShareButton, Skeleton, Table, useTranslation } from "@purse/ui";
import { useParams } from "@tanstack/react-router";
import { formatAmount, formatExactAmount } from "../../money/amount.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { AddressKind } from "./AddressKind.tsx";
import { AddressStats } from "./AddressStats.tsx";
import { Amount } from "./Amount.tsx";
import { NFT_TRANSFER_COLUMNS, TRANSACTION_COLUMNS, TRANSFER_COLUMNS } from "./csvColumns.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { TokenLink } from "./EntityLinks.tsx";
import { EntityTabs, ValidAddress } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { InternalTransactions } from "./InternalTransactions.tsx";
import { NftGrid } from "./NftGrid.tsx";
import { PagedList } from "./PagedList.tsx";
import { nameOf } from "./SearchBox.tsx";
import { NftTransferTable, TransactionTable, TransferTable } from "./tables.tsx";

export function AddressPage() {
  const { address } = useParams({ from: "/explorer/address/$address" });
  const { t } = useTranslation();
  usePageTitle(t("Address {address}", { address: `${address.slice(0, 8)}…` }));
  return <ValidAddress heading={t("Address")} address={address} page={AddressDetails} />;
}

function AddressDetails({ address }: { address: string }) {
  const { t } = useTranslation();
  const nameQuery = useDataQuery(nameOf, { address });
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <h1>{nameQuery.data?.name ? <bdi>{nameQuery.data.name.slice(0, 80)}</bdi> : t("Address")}</h1>
        <AddressKind address={address} />
      </div>
      <section className="card stack" aria-label={t("Address")}>
        <div className="row">
          <Address address={checksumOf(address)} copy />
          <ShareButton
            label={t("address")}
            content={() => ({ text: checksumOf(address), url: window.location.href })}
          />
        </div>
        <Balance address={address} />
        <AddressStats address={address} />
      </section>
      <EntityTabs
        label={t("Activity and holdings")}
        tabs={[
          {
            key: "transactions",
            label: t("Transactions"),
            content: () => <Transactions address={address} />,
          },
          {
            key: "internal",
            label: t("Internal transactions"),
            content: () => <InternalTransactions address={address} />,
          },
          { key: "transfers", label: t("Token transfers"), content: () => <Transfers address={address} /> },
          { key: "tokens", label: t("Tokens"), content: () => <Tokens address={address} /> },
          { key: "nfts", label: t("NFTs"), content: () => <Nfts address={address} /> },
          {
            key: "nft-transfers",
            label: t("NFT transfers"),
            content: () => <NftTransfers address={address} />,
          },
        ]}
      />
    </div>
  );
}

function Balance({ address }: { address: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const { symbol, decimals } = chain.nativeCurrency;
  const balance = useLiveDataQuery(Web3API.account.getNativeBalance, { chain: chain.hexId, address });
  return (
    <div>
      <p className="small soft">{t("Balance")}</p>
      <QueryState
        query={balance}
        label={t("Loading balance")}
        skeleton={
          <p className="total number">
            <Skeleton width="12rem" height="1em" />
          </p>
        }
      >
        {(data) => (
          <p
            className="total number"
            title={`${formatExactAmount(BigInt(data.balance), decimals, language)} ${symbol}`}
          >
            {formatAmount(BigInt(data.balance), decimals, language)} {symbol}
          </p>
        )}
      </QueryState>
    </div>
  );
}

function Transactions({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Transactions")}
      label={t("Loading transactions")}
      operation={Web3API.account.getTransactions}
      params={{ address }}
      isLive
      file={{ name: `transactions-${address}`, columns: TRANSACTION_COLUMNS }}
    >
      {(rows) => (
        <TransactionTable
          rows={rows}
          owner={address}
          empty={
            <EmptyState title={t("No transactions")}>
              {t("This address has no transactions on this chain.")}
            </EmptyState>
          }
        />
      )}
    </PagedList>
  );
}

function Transfers({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Token transfers")}
      label={t("Loading transfers")}
      operation={Web3API.account.getTokenTransfers}
      params={{ address }}
      isLive
      file={{ name: `token-transfers-${address}`, columns: TRANSFER_COLUMNS }}
    >
      {(rows) => (
        <TransferTable rows={rows} owner={address} empty={<EmptyState title={t("No token transfers")} />} />
      )}
    </PagedList>
  );
}

function Tokens({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const found = useDataQuery(Web3API.account.getTokenBalances, { chain: chain.hexId, address });
  const table = (rows: typeof found.data) => (
    <Table
      caption={t("Tokens")}
      rows={rows}
      rowKey={({ token_address }) => token_address}
      empty={
        <EmptyState title={t("No tokens")}>{t("This address holds no tokens on this chain.")}</EmptyState>
      }
      columns={[
        {
          label: t("Token"),
          cell: ({ name, token_address }) => <bdi>{name.slice(0, 60) || token_address}</bdi>,
        },
        {
          label: t("Symbol"),
          cell: ({ token_address, symbol, name, decimals }) => (
            <TokenLink
              address={token_address}
              token={{
                address: token_address,
                symbol,
                name,
                decimals: decimals === null ? null : String(decimals),
              }}
            />
          ),
        },
        {
          label: t("Amount"),
          number: true,
          cell: ({ balance, decimals }) => <Amount value={balance} decimals={decimals ?? 0} />,
        },
      ]}
    />
  );
  return (
    <section className="card" aria-label={t("Tokens")}>
      <QueryState query={found} label={t("Loading tokens")} skeleton={table(undefined)}>
        {table}
      </QueryState>
    </section>
  );
}

function Nfts({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("NFTs")}
      label={t("Loading NFTs")}
      operation={Web3API.account.getNFTs}
      params={{ address }}
    >
      {(nfts) => (
        <NftGrid
          nfts={nfts}
          empty={
            <EmptyState title={t("No NFTs")}>{t("This address owns no NFTs on this chain.")}</EmptyState>
          }
        />
      )}
    </PagedList>
  );
}

function NftTransfers({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("NFT transfers")}
      label={t("Loading NFT transfers")}
      operation={Web3API.account.getNFTTransfers}
      params={{ address }}
      isLive
      file={{ name: `nft-transfers-${address}`, columns: NFT_TRANSFER_COLUMNS }}
    >
      {(rows) => (
        <NftTransferTable rows={rows} owner={address} empty={<EmptyState title={t("No NFT transfers")} />} />
      )}
    </PagedList>
  );
}
