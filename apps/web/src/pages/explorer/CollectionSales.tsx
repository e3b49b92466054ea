import { type Trade, Web3API } from "@purse/client";
import { EmptyState, FailedRead, RelativeTime, Table, useTranslation } from "@purse/ui";
import { Amount, CoinAmount } from "./Amount.tsx";
import { SALE_COLUMNS } from "./csvColumns.ts";
import { useTokens } from "./dataQueries.ts";
import { AddressLink, NftLink, TokenLink, TransactionLink } from "./EntityLinks.tsx";
import { PagedList } from "./PagedList.tsx";

/** Marketplace sales of a collection. */
export function Sales({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Sales")}
      label={t("Loading sales")}
      operation={Web3API.token.getNFTTrades}
      params={{ address }}
      file={{ name: `sales-${address}`, columns: SALE_COLUMNS }}
    >
      {(sales) => <SaleTable address={address} sales={sales} />}
    </PagedList>
  );
}

function SaleTable({ address, sales }: { address: string; sales: readonly Trade[] | undefined }) {
  const { t } = useTranslation();
  const tokens = useTokens(
    (sales ?? []).map(({ price_token_address: token }) => token ?? "").filter((token) => !isCoin(token)),
  );
  return (
    <>
      <Table
        caption={t("Sales")}
        rows={sales?.map((row, i) => ({ ...row, key: `${row.transaction_hash}/${i}` }))}
        rowKey={({ key }) => key}
        empty={<EmptyState title={t("No sales")}>{t("No sales on known marketplaces.")}</EmptyState>}
        columns={[
          {
            label: t("Transaction"),
            cell: ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />,
          },
          { label: t("Age"), cell: ({ block_timestamp }) => <RelativeTime at={block_timestamp} /> },
          {
            label: t("Items"),
            cell: ({ token_ids }) => (
              <span className="row tight-row">
                {token_ids.slice(0, 5).map((id) => (
                  <NftLink key={id} address={address} id={id} />
                ))}
              </span>
            ),
          },
          { label: t("Seller"), cell: ({ seller_address }) => <AddressLink address={seller_address} /> },
          { label: t("Buyer"), cell: ({ buyer_address }) => <AddressLink address={buyer_address} /> },
          {
            label: t("Price"),
            number: true,
            cell: ({ price, price_token_address: token }) =>
              !token || isCoin(token) ? (
                <CoinAmount wei={price} />
              ) : (
                <>
                  <Amount value={price} decimals={tokens.decimalsOf(token)} />{" "}
                  <TokenLink address={token} token={tokens.known.get(token)} />
                </>
              ),
          },
        ]}
      />
      <FailedRead query={tokens.query}>{t("Token amounts could not be loaded")}</FailedRead>
    </>
  );
}

/** Whether a price is in the native coin. */
function isCoin(token: string): boolean {
  return token === "" || /^0x0{40}$/.test(token);
}
