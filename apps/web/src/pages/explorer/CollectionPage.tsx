import { Web3API } from "@purse/client";
import { Address, Detail, DetailList, EmptyState, useTranslation } from "@purse/ui";
import { useParams } from "@tanstack/react-router";
import { tokenStandard } from "../../money/tokenStandard.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { Sales } from "./CollectionSales.tsx";
import { CollectionStats } from "./CollectionStats.tsx";
import { NFT_TRANSFER_COLUMNS, OWNER_COLUMNS } from "./csvColumns.ts";
import { getNFTMetadata } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { EntityPage, EntityTabs, RefreshButton, ValidAddress } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { NftGrid } from "./NftGrid.tsx";
import { OwnerTable } from "./OwnerTable.tsx";
import { PagedList } from "./PagedList.tsx";
import { Traits } from "./Traits.tsx";
import { NftTransferTable } from "./tables.tsx";

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
            <DetailList className="explorer-facts">
              <Detail label={t("Type")}>{tokenStandard(data.contract_type)}</Detail>
              {data.symbol && (
                <Detail label={t("Symbol")}>
                  <bdi>{data.symbol.slice(0, 20)}</bdi>
                </Detail>
              )}
              <Detail label={t("Contract")}>
                <AddressLink address={address} />
              </Detail>
              <CollectionStats address={address} />
            </DetailList>
          </section>
          <EntityTabs
            label={t("Collection details")}
            tabs={[
              { key: "items", label: t("Items"), content: () => <Items address={address} /> },
              { key: "traits", label: t("Traits"), content: () => <Traits address={address} /> },
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

function Items({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Items")}
      label={t("Loading NFTs")}
      operation={Web3API.token.getAllTokenIds}
      params={{ address }}
      pageSize={24}
    >
      {(nfts) => <NftGrid nfts={nfts} empty={<EmptyState title={t("No items")} />} />}
    </PagedList>
  );
}

function Owners({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Owners")}
      label={t("Loading owners")}
      operation={Web3API.token.getNFTOwners}
      params={{ address }}
      pageSize={24}
      file={{ name: `owners-${address}`, columns: OWNER_COLUMNS }}
    >
      {(rows) => <OwnerTable rows={rows} />}
    </PagedList>
  );
}

function Transfers({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Transfers")}
      label={t("Loading transfers")}
      operation={Web3API.token.getContractNFTTransfers}
      params={{ address }}
      pageSize={24}
      isLive
      file={{ name: `transfers-${address}`, columns: NFT_TRANSFER_COLUMNS }}
    >
      {(rows) => <NftTransferTable rows={rows} empty={<EmptyState title={t("No transfers")} />} />}
    </PagedList>
  );
}
