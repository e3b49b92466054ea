import type { Block } from "@purse/client";
import { EmptyState, Tabs, useTranslation } from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  NFT_TRANSFER_COLUMNS,
  nftTransferCells,
  TRANSACTION_COLUMNS,
  transactionCells,
} from "./csvColumns.ts";
import { useDataQuery } from "./dataQueries.ts";
import { getNFTTransfersByBlock } from "./dataService.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { ExportButton } from "./ExportButton.tsx";
import { PagedList } from "./PagedList.tsx";
import { NftTransferTable, TransactionTable } from "./tables.tsx";

/** The transactions of a block and the NFTs they transferred. */
export function BlockContents({ block }: { block: Block }) {
  const { t, count } = useTranslation();
  const { tab } = useSearch({ from: "/explorer/block/$block" });
  const navigate = useNavigate({ from: "/explorer/block/$block" });
  const { length } = block.transactions;
  const tabs = [
    { key: "transactions", label: count(length, "{n} transaction", "{n} transactions") },
    { key: "nft-transfers", label: t("NFT transfers") },
  ];
  const shown = tab === "nft-transfers" ? tab : "transactions";
  return (
    <Tabs
      label={t("Block contents")}
      tabs={tabs}
      value={shown}
      onChange={(key) =>
        void navigate({
          search: { tab: key === "transactions" ? undefined : key, cursor: undefined },
          replace: true,
          resetScroll: false,
        })
      }
    >
      {shown === "transactions" ? (
        <section className="card stack tight" aria-label={t("Transactions")}>
          {length > 0 && (
            <div className="row spread">
              <span className="soft number">{count(length, "{n} total", "{n} total")}</span>
              <ExportButton
                name={`transactions-of-block-${block.number}`}
                columns={TRANSACTION_COLUMNS}
                rows={async () => block.transactions.map(transactionCells)}
              />
            </div>
          )}
          <TransactionTable
            rows={block.transactions}
            isOneBlock
            empty={<EmptyState title={t("Empty block")}>{t("This block has no transactions.")}</EmptyState>}
          />
        </section>
      ) : (
        <NftTransfers block={block} />
      )}
    </Tabs>
  );
}

function NftTransfers({ block }: { block: Block }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const { cursor } = useSearch({ from: "/explorer/block/$block" });
  const of = { chain: chain.hexId, block_number_or_hash: block.number };
  const found = useDataQuery(getNFTTransfersByBlock, {
    ...of,
    limit: 25,
    ...(cursor && { cursor }),
  });
  return (
    <section className="card stack tight" aria-label={t("NFT transfers")}>
      <PagedList
        query={found}
        label={t("Loading NFT transfers")}
        cursor={cursor}
        file={{
          name: `nft-transfers-of-block-${block.number}`,
          columns: NFT_TRANSFER_COLUMNS,
          cells: nftTransferCells,
          page: (options) => getNFTTransfersByBlock({ ...of, ...options }),
        }}
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
    </section>
  );
}
