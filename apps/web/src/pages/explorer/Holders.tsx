import { EmptyState, isUnavailable, Table, useTranslation } from "@purse/ui";
import { Amount } from "./Amount.tsx";
import { getTokenOwners } from "./dataApi.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { PagedList } from "./PagedList.tsx";
import { PercentBar } from "./PercentBar.tsx";

export interface HoldersProps {
  address: string;
  decimals: number;
  symbol: string;
}

/** The holders of a token, the largest first. */
export function Holders({ address, decimals, symbol }: HoldersProps) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Holders")}
      label={t("Loading holders")}
      operation={getTokenOwners}
      params={{ address }}
      isLive
      file={{
        name: `holders-${address}`,
        columns: {
          holder: (row) => row.owner_address,
          balance_smallest_unit: (row) => row.balance,
          percent_of_supply: (row) => String(row.percentage_relative_to_total_supply),
        },
      }}
      renderError={(error) =>
        isUnavailable(error) ? (
          <EmptyState title={t("Holders unavailable")}>
            {t("This server does not index the whole chain.")}
          </EmptyState>
        ) : undefined
      }
    >
      {(rows) => (
        <Table
          caption={t("Holders")}
          rows={rows}
          rowKey={({ owner_address }) => owner_address}
          empty={<EmptyState title={t("No holders")} />}
          columns={[
            { label: t("Holder"), cell: ({ owner_address }) => <AddressLink address={owner_address} /> },
            {
              label: t("Amount"),
              number: true,
              cell: ({ balance }) => <Amount value={balance} decimals={decimals} unit={symbol} />,
            },
            {
              label: t("Share of supply"),
              number: true,
              cell: ({ percentage_relative_to_total_supply: share }) => <PercentBar percent={share} />,
            },
          ]}
        />
      )}
    </PagedList>
  );
}
