import type { NftOwner } from "@purse/client";
import { EmptyState, Table, useTranslation } from "@purse/ui";
import { Amount } from "./Amount.tsx";
import { AddressLink, BlockLink, NftLink } from "./EntityLinks.tsx";

export function OwnerTable({ rows }: { rows: readonly NftOwner[] | undefined }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("Owners")}
      rows={rows}
      rowKey={({ token_id, owner_of }) => `${token_id}/${owner_of}`}
      empty={<EmptyState title={t("No owners")} />}
      columns={[
        { label: t("Owner"), cell: ({ owner_of }) => <AddressLink address={owner_of} /> },
        {
          label: t("Item"),
          cell: ({ token_address, token_id }) => <NftLink address={token_address} id={token_id} />,
        },
        {
          label: t("Amount"),
          number: true,
          cell: ({ amount }) => <Amount value={amount ?? "1"} decimals={0} />,
        },
        {
          label: t("Since block"),
          number: true,
          hideOnPhone: true,
          cell: ({ block_number }) => block_number && <BlockLink block={block_number} />,
        },
      ]}
    />
  );
}
