import { Web3API } from "@purse/client";
import { Address, EmptyState, useTranslation } from "@purse/ui";
import { useParams, useSearch } from "@tanstack/react-router";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { Sales } from "./CollectionSales.tsx";
import { AddressLink, Detail, DetailList } from "./components.tsx";
import { NFT_TRANSFER_COLUMNS, nftTransferCells, OWNER_COLUMNS, ownerCells } from "./csvColumns.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { getNFTMetadata } from "./dataService.ts";
import { EntityPage, EntityTabs, RefreshButton, ValidAddress } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { NftGrid } from "./NftGrid.tsx";
import { OwnerTable } from "./OwnerTable.tsx";
import { PagedList } from "./PagedList.tsx";
import { NftTransferTable } from "./tables.tsx";

const PAGE_SIZE = 24;

export function CollectionPage() {
  const { address } = useParams({ from: "/explorer/nft/$address" });
  const { t } = useTranslation();
  usePageTitle(t("Collection {address}", { address: `${address.slice(0, 8)}…` }));
  return <ValidAddress heading={t("Collection")} address={address} page={CollectionDetails} />;
}

function CollectionDetails({ address }: { address: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const found = useDataQuery(getNFTMetadata, { chain: chain.hexId, address });
  return (
    <EntityPage
      heading={found.data?.name ? <bdi>{found.data.name.slice(0, 80)}</bdi> : t("Collection")}
      actions={
        <RefreshButton
          label={t("Refresh")}
          refresh={() => Web3API.token.syncNFTContract({ chain: chain.hexId, address })}
          successMessage={t("Collection refresh started")}
        />
      }
      query={found}
      loadingLabel={t("Loading collection")}
      notFound={
        <EmptyState title={t("Collection not found")}>
          {t("This address has no NFT transfers on this chain.")}
        </EmptyState>
      }
      render={(data) => (
        <>
          <section className="card stack" aria-label={t("Collection")}>
            <Address address={checksumOf(address)} copy />
            <DetailList>
              <Detail label={t("Type")}>{data.contract_type}</Detail>
              {data.symbol && (
                <Detail label={t("Symbol")}>
                  <bdi>{data.symbol.slice(0, 20)}</bdi>
                </Detail>
              )}
              <Detail label={t("Contract")}>
                <AddressLink address={address} />
              </Detail>
            </DetailList>
          </section>
          <EntityTabs
            label={t("Collection details")}
            tabs={[
              { key: "items", label: t("Items"), content: () => <Items address={address} /> },
              { key: "owners", label: t("Owners"), content: () => <Owners address={address} /> },
              { key: "transfers", label: t("Transfers"), content: () => <Transfers address={address} /> },
              { key: "sales", label: t("Sales"), content: () => <Sales address={address} /> },
            ]}
          />
        </>
      )}
    />
  );
}

function useList(address: string) {
  const { chain } = useExplorer();
  const { cursor } = useSearch({ from: "/explorer/nft/$address" });
  return { cursor, params: { chain: chain.hexId, address, limit: PAGE_SIZE, ...(cursor && { cursor }) } };
}

function Items({ address }: { address: string }) {
  const { t } = useTranslation();
  const { cursor, params } = useList(address);
  const found = useDataQuery(Web3API.token.getAllTokenIds, params);
  return (
    <section className="card stack" aria-label={t("Items")}>
      <PagedList query={found} label={t("Loading NFTs")} cursor={cursor}>
        {(nfts) => <NftGrid nfts={nfts} empty={<EmptyState title={t("No items")} />} />}
      </PagedList>
    </section>
  );
}

function Owners({ address }: { address: string }) {
  const { t } = useTranslation();
  const { cursor, params } = useList(address);
  const found = useDataQuery(Web3API.token.getNFTOwners, params);
  return (
    <section className="card stack tight" aria-label={t("Owners")}>
      <PagedList
        query={found}
        label={t("Loading owners")}
        cursor={cursor}
        file={{
          name: `owners-${address}`,
          columns: OWNER_COLUMNS,
          cells: ownerCells,
          page: (options) => Web3API.token.getNFTOwners({ chain: params.chain, address, ...options }),
        }}
      >
        {(rows) => <OwnerTable rows={rows} />}
      </PagedList>
    </section>
  );
}

function Transfers({ address }: { address: string }) {
  const { t } = useTranslation();
  const { cursor, params } = useList(address);
  const found = useLiveDataQuery(Web3API.token.getContractNFTTransfers, params, cursor === undefined);
  return (
    <section className="card stack tight" aria-label={t("Transfers")}>
      <PagedList
        query={found}
        label={t("Loading transfers")}
        cursor={cursor}
        file={{
          name: `transfers-${address}`,
          columns: NFT_TRANSFER_COLUMNS,
          cells: nftTransferCells,
          page: (options) =>
            Web3API.token.getContractNFTTransfers({ chain: params.chain, address, ...options }),
        }}
      >
        {(rows) => <NftTransferTable rows={rows} empty={<EmptyState title={t("No transfers")} />} />}
      </PagedList>
    </section>
  );
}
