import type { Block } from "@purse/client";
import { EmptyState, useTranslation } from "@purse/ui";
import { NFT_TRANSFER_COLUMNS, TRANSACTION_COLUMNS } from "./csvColumns.ts";
import { getNFTTransfersByBlock } from "./dataApi.ts";
import { EntityTabs } from "./EntityPage.tsx";
import { ExportButton } from "./ExportButton.tsx";
import { PagedList } from "./PagedList.tsx";
import { NftTransferTable, TransactionTable } from "./tables.tsx";

/** The transactions of a block and the NFTs they transferred. */
export function BlockContents({ block }: { block: Block }) {
  const { t } = useTranslation();
  return (
    <EntityTabs
      label={t("Block contents")}
      tabs={[
        {
          key: "transactions",
          label: t("{n, plural, one {# transaction} other {# transactions}}", {
            n: block.transactions.length,
          }),
          content: () => <Transactions block={block} />,
        },
        { key: "nft-transfers", label: t("NFT transfers"), content: () => <NftTransfers block={block} /> },
      ]}
    />
  );
}

function Transactions({ block }: { block: Block }) {
  const { t } = useTranslation();
  const { length } = block.transactions;
  return (
    <section className="card stack tight" aria-label={t("Transactions")}>
      {length > 0 && (
        <div className="row spread">
          <span className="soft number">{t("{n, number} total", { n: length })}</span>
          <ExportButton
            name={`transactions-of-block-${block.number}`}
            columns={TRANSACTION_COLUMNS}
            rows={async () => block.transactions}
          />
        </div>
      )}
      <TransactionTable
        rows={block.transactions}
        isOneBlock
        empty={<EmptyState title={t("Empty block")}>{t("This block has no transactions.")}</EmptyState>}
      />
    </section>
  );
}

function NftTransfers({ block }: { block: Block }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("NFT transfers")}
      label={t("Loading NFT transfers")}
      operation={getNFTTransfersByBlock}
      params={{ block_number_or_hash: block.number }}
      file={{ name: `nft-transfers-of-block-${block.number}`, columns: NFT_TRANSFER_COLUMNS }}
    >
      {(rows) => (
        <NftTransferTable
          rows={rows}
          empty={
            <EmptyState title={t("No NFT transfers")}>
              {t("No NFTs were transferred in this block.")}
            </EmptyState>
          }
        />
      )}
    </PagedList>
  );
}
