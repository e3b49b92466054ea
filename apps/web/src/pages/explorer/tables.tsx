import type { BlockTransaction, Erc20Transfer, NftTransfer, Transaction } from "@purse/client";
import { type Column, FailedRead, RelativeTime, Table, useTranslation } from "@purse/ui";
import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import { Amount, CoinAmount } from "./Amount.tsx";
import { useTokens } from "./dataQueries.ts";
import { AddressLink, BlockLink, NftLink, TokenLink, TransactionLink } from "./EntityLinks.tsx";
import { MethodChip } from "./MethodChip.tsx";

export interface TransactionTableProps {
  rows: readonly (Transaction | BlockTransaction)[] | undefined;
  empty: ReactNode;
  /** The address whose sent and received transactions are marked. */
  owner?: string;
  /** Whether a row has just been added. */
  isNew?: (row: Transaction | BlockTransaction) => boolean;
  /** Whether all rows are of one block. */
  isOneBlock?: boolean;
}

export function TransactionTable({ rows, empty, owner, isNew, isOneBlock }: TransactionTableProps) {
  const { t } = useTranslation();
  type Row = Transaction | BlockTransaction;
  const columns: Column<Row>[] = [
    {
      label: t("Transaction"),
      cell: ({ hash, receipt_status }) => (
        <span className="row tight-row">
          <TransactionLink hash={hash} />
          {receipt_status === "0" && (
            <OctagonX size={15} className="failed" role="img" aria-label={t("Reverted")} />
          )}
        </span>
      ),
    },
    {
      label: t("Method"),
      cell: ({ input, to_address }) => <MethodChip input={input} isCreation={!to_address} />,
    },
    ...(isOneBlock
      ? []
      : [
          {
            label: t("Block"),
            cell: ({ block_number, block_timestamp }: Row) => (
              <span className="two-lines">
                <BlockLink block={block_number} />
                <RelativeTime at={block_timestamp} />
              </span>
            ),
          },
        ]),
    { label: t("From"), cell: ({ from_address }) => <AddressLink address={from_address} /> },
    ...(owner === undefined ? [] : [directionColumn<Row>(owner, t("Direction"), (row) => row)]),
    {
      label: t("To"),
      cell: ({ to_address, receipt_contract_address: createdAddress }) => {
        const to = to_address || createdAddress;
        return to ? <AddressLink address={to} /> : "–";
      },
    },
    { label: t("Value"), cell: ({ value }) => <CoinAmount wei={value} />, number: true },
    ...(owner === undefined
      ? [
          {
            label: t("Fee"),
            cell: ({ receipt_gas_used, gas_price }: Row) => (
              <CoinAmount wei={feeOf(receipt_gas_used, gas_price)} />
            ),
            number: true,
            hideOnPhone: true,
          },
        ]
      : []),
  ];
  return (
    <Table
      caption={t("Transactions")}
      columns={columns}
      rows={rows}
      isNew={isNew}
      rowKey={({ hash }) => hash}
      empty={empty}
    />
  );
}

export function feeOf(gasUsed: string | null | undefined, gasPrice: string | null | undefined): bigint {
  return BigInt(gasUsed || 0) * BigInt(gasPrice || 0);
}

export interface TransferTableProps {
  rows: readonly Erc20Transfer[] | undefined;
  empty: ReactNode;
  owner?: string;
}

export function TransferTable({ rows, empty, owner }: TransferTableProps) {
  const { t } = useTranslation();
  const tokens = useTokens((rows ?? []).map(({ address }) => address));
  const columns: Column<Keyed<Erc20Transfer>>[] = [
    { label: t("Transaction"), cell: ({ row }) => <TransactionLink hash={row.transaction_hash} /> },
    { label: t("Age"), cell: ({ row }) => <RelativeTime at={row.block_timestamp} /> },
    { label: t("From"), cell: ({ row }) => <AddressLink address={row.from_address} /> },
    ...(owner === undefined
      ? []
      : [directionColumn(owner, t("Direction"), ({ row }: Keyed<TransferEnds>) => row)]),
    { label: t("To"), cell: ({ row }) => <AddressLink address={row.to_address} /> },
    {
      label: t("Amount"),
      number: true,
      cell: ({ row }) => <Amount value={row.value} decimals={tokens.decimalsOf(row.address)} />,
    },
    {
      label: t("Token"),
      cell: ({ row }) => <TokenLink address={row.address} token={tokens.known.get(row.address)} />,
    },
  ];
  return (
    <>
      <FailedRead query={tokens.query}>{t("Token amounts could not be loaded")}</FailedRead>
      <Table
        caption={t("Token transfers")}
        columns={columns}
        rows={withKeys(rows)}
        rowKey={({ key }) => key}
        empty={empty}
      />
    </>
  );
}

export interface NftTransferTableProps {
  rows: readonly NftTransfer[] | undefined;
  empty: ReactNode;
  owner?: string;
}

export function NftTransferTable({ rows, empty, owner }: NftTransferTableProps) {
  const { t } = useTranslation();
  const columns: Column<Keyed<NftTransfer>>[] = [
    { label: t("Transaction"), cell: ({ row }) => <TransactionLink hash={row.transaction_hash} /> },
    { label: t("Age"), cell: ({ row }) => <RelativeTime at={row.block_timestamp} /> },
    {
      label: t("From"),
      cell: ({ row }) => (row.from_address ? <AddressLink address={row.from_address} /> : "–"),
    },
    ...(owner === undefined
      ? []
      : [directionColumn(owner, t("Direction"), ({ row }: Keyed<TransferEnds>) => row)]),
    { label: t("To"), cell: ({ row }) => <AddressLink address={row.to_address} /> },
    { label: t("NFT"), cell: ({ row }) => <NftLink address={row.token_address} id={row.token_id} /> },
    {
      label: t("Amount"),
      number: true,
      hideOnPhone: true,
      cell: ({ row }) => <Amount value={row.amount ?? "1"} decimals={0} />,
    },
  ];
  return (
    <Table
      caption={t("NFT transfers")}
      columns={columns}
      rows={withKeys(rows)}
      rowKey={({ key }) => key}
      empty={empty}
    />
  );
}

export interface Keyed<Row> {
  key: string;
  row: Row;
}

/** Rows of one transaction can be identical, so their keys include the index. */
export function withKeys<Row extends { transaction_hash: string }>(
  rows: readonly Row[] | undefined,
): Keyed<Row>[] | undefined {
  return rows?.map((row, i) => ({ key: `${row.transaction_hash}/${i}`, row }));
}

export interface TransferEnds {
  from_address?: string | null;
  to_address?: string | null;
}

/** The direction of transfers, as seen from an address. */
export function directionColumn<Row>(
  owner: string,
  label: string,
  endsOf: (row: Row) => TransferEnds,
): Column<Row> {
  return {
    key: "direction",
    label,
    hideOnPhone: true,
    cell: (row) => <Direction owner={owner} ends={endsOf(row)} />,
  };
}

function Direction({ owner, ends }: { owner: string; ends: TransferEnds }) {
  const { t } = useTranslation();
  const [isFrom, isTo] = [ends.from_address === owner, ends.to_address === owner];
  const kind = isFrom ? (isTo ? "self" : "out") : "in";
  const label = { self: t("Self"), out: t("Out"), in: t("In") }[kind];
  return (
    <span className="chip direction" data-kind={kind}>
      {label}
    </span>
  );
}
