import type { AddressInternalTransaction } from "@purse/client";
import { type Column, EmptyState, isUnavailable, RelativeTime, Table, useTranslation } from "@purse/ui";
import { CoinAmount } from "./Amount.tsx";
import { INTERNAL_TRANSACTION_COLUMNS } from "./csvColumns.ts";
import { getWalletInternalTransactions } from "./dataApi.ts";
import { AddressLink, TransactionLink } from "./EntityLinks.tsx";
import { PagedList } from "./PagedList.tsx";
import { directionColumn, type Keyed, withKeys } from "./tables.tsx";

/** The coins that contracts sent to or from an address and the contracts that they created, if the chain is traced. */
export function InternalTransactions({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Internal transactions")}
      label={t("Loading internal transactions")}
      operation={getWalletInternalTransactions}
      params={{ address }}
      isLive
      file={{ name: `internal-transactions-${address}`, columns: INTERNAL_TRANSACTION_COLUMNS }}
      renderError={(error) =>
        isUnavailable(error) ? (
          <EmptyState title={t("Internal transactions unavailable")}>
            {t(
              "This server doesn't trace this chain. An operator can enable traces in the chain's settings.",
            )}
          </EmptyState>
        ) : undefined
      }
    >
      {(rows) => <InternalTransactionTable rows={rows} owner={address} />}
    </PagedList>
  );
}

interface InternalTransactionTableProps {
  rows: readonly AddressInternalTransaction[] | undefined;
  owner: string;
}

function InternalTransactionTable({ rows, owner }: InternalTransactionTableProps) {
  const { t } = useTranslation();
  const columns: Column<Keyed<AddressInternalTransaction>>[] = [
    { label: t("Transaction"), cell: ({ row }) => <TransactionLink hash={row.transaction_hash} /> },
    { label: t("Age"), cell: ({ row }) => <RelativeTime at={row.block_timestamp} /> },
    {
      label: t("Type"),
      hideOnPhone: true,
      cell: ({ row }) => (
        <span className="chip method">{row.type === "create" ? t("Contract creation") : t("Transfer")}</span>
      ),
    },
    { label: t("From"), cell: ({ row }) => <AddressLink address={row.from_address} /> },
    directionColumn(owner, t("Direction"), ({ row }) => row),
    { label: t("To"), cell: ({ row }) => <AddressLink address={row.to_address} /> },
    { label: t("Value"), number: true, cell: ({ row }) => <CoinAmount wei={row.value} /> },
  ];
  return (
    <Table
      caption={t("Internal transactions")}
      columns={columns}
      rows={withKeys(rows)}
      rowKey={({ key }) => key}
      empty={
        <EmptyState title={t("No internal transactions")}>
          {t("No contract sent coins to or from this address on this chain.")}
        </EmptyState>
      }
    />
  );
}
