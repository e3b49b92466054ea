import { type Nft, Web3API } from "@purse/client";
import {
  Code,
  Detail,
  DetailList,
  EmptyState,
  FailedRead,
  formatNumber,
  formatPercent,
  isUnavailable,
  RelativeTime,
  useTranslation,
} from "@purse/ui";
import { Link, useParams } from "@tanstack/react-router";
import { tokenStandard } from "../../money/tokenStandard.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { isAddressText } from "./abi/addressText.ts";
import { NFT_TRANSFER_COLUMNS, OWNER_COLUMNS } from "./csvColumns.ts";
import { getNFTCollectionRarity, getTokenIdMetadata } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { EntityPage, EntityTabs, InvalidEntity, RefreshButton } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { NftImage } from "./NftGrid.tsx";
import { nftName, parseNftMetadata } from "./nftMetadata.ts";
import { OwnerTable } from "./OwnerTable.tsx";
import { PagedList } from "./PagedList.tsx";
import { shareOfTrait } from "./rarity.ts";
import { useTraits } from "./Traits.tsx";
import { NftTransferTable } from "./tables.tsx";

export function NftPage() {
  const { address, id } = useParams({ from: "/explorer/nft/$address/$id" });
  const { t } = useTranslation();
  usePageTitle(t("NFT {id}", { id: id.slice(0, 12) }));
  if (!isAddressText(address) || !/^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(id)) {
    return (
      <InvalidEntity heading={t("NFT")} title={t("Invalid NFT")}>
        {t("An NFT needs a collection address (0x followed by 40 hex characters) and a token ID.")}
      </InvalidEntity>
    );
  }
  const lower = address.toLowerCase();
  return <NftDetails key={`${lower}/${id}`} address={lower} id={id} />;
}

function NftDetails({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const found = useDataQuery(getTokenIdMetadata, { chain: chain.hexId, address, token_id: id });
  return (
    <EntityPage
      heading={(found.data && nftName(found.data) && <bdi>{nftName(found.data)}</bdi>) || t("NFT")}
      actions={
        <RefreshButton
          label={t("Refresh metadata")}
          refresh={async () => {
            const params = { chain: chain.hexId, address, token_id: id };
            await Web3API.token.reSyncMetadata({ ...params, flag: "uri", mode: "sync" });
            void found.refetch();
          }}
          successMessage={t("Metadata refreshed")}
        />
      }
      query={found}
      loadingLabel={t("Loading NFT")}
      skeletonRows={6}
      notFound={
        <EmptyState title={t("NFT not found")}>{t("This collection has no token with this ID.")}</EmptyState>
      }
      render={(nft) => (
        <>
          <NftSummary nft={nft} />
          <EntityTabs
            label={t("NFT details")}
            tabs={[
              { key: "owners", label: t("Owners"), content: () => <Owners address={address} id={id} /> },
              {
                key: "transfers",
                label: t("Transfers"),
                content: () => <Transfers address={address} id={id} />,
              },
              { key: "metadata", label: t("Metadata"), content: () => <Metadata nft={nft} /> },
            ]}
          />
        </>
      )}
    />
  );
}

function NftSummary({ nft }: { nft: Nft }) {
  const { t, language } = useTranslation();
  const { description, attributes } = parseNftMetadata(nft.metadata);
  const found = useTraits(nft.token_address);
  const traits = found.data;
  const { chain } = useExplorer();
  const rarities = useDataQuery(getNFTCollectionRarity, {
    chain: chain.hexId,
    address: nft.token_address,
    token_id: nft.token_id,
  });
  const [rarity] = rarities.data?.result ?? [];
  const failed = found.error ? found : rarities;
  const { royalty_receiver: receiver, royalty_basis_points: points } = nft;
  return (
    <section className="card nft-item" aria-label={t("NFT")}>
      <NftImage nft={nft} width={512} label={nftName(nft)} />
      <div className="stack">
        {description && (
          <p className="nft-description">
            <bdi>{description}</bdi>
          </p>
        )}
        <DetailList className="explorer-facts">
          <Detail label={t("Collection")}>
            <Link to="/explorer/nft/$address" params={{ address: nft.token_address }}>
              <bdi>{nft.name?.slice(0, 60) || nft.token_address}</bdi>
            </Link>
          </Detail>
          <Detail label={t("Contract")}>
            <AddressLink address={nft.token_address} />
          </Detail>
          <Detail label={t("Token ID")}>
            <span className="number address">{nft.token_id}</span>
          </Detail>
          <Detail label={t("Type")}>{tokenStandard(nft.contract_type)}</Detail>
          {receiver && points ? (
            <Detail label={t("Royalty")}>
              <span className="number">{formatPercent(points / 10_000, language)}</span> {t("to")}{" "}
              <AddressLink address={receiver} />
            </Detail>
          ) : null}
          {rarities.data && rarity && (
            <>
              <Detail label={t("Rarity rank")}>
                <span className="number">
                  {t("{rank, number} of {total, number}", {
                    rank: rarity.rarity_rank,
                    total: rarities.data.total_tokens,
                  })}
                </span>
              </Detail>
              <Detail label={t("Rarity score")}>
                <span className="number">{formatNumber(rarity.rarity_score, language)}</span>{" "}
                <span className="soft">{t("by its traits; the collection's average is 1")}</span>
              </Detail>
            </>
          )}
          <Detail label={t("Metadata updated")}>
            {nft.synced_at ? <RelativeTime at={nft.synced_at} /> : <span className="soft">{t("Never")}</span>}
          </Detail>
        </DetailList>
        {attributes.length > 0 && (
          <ul className="attributes" aria-label={t("Attributes")}>
            {attributes.map((attribute, i) => {
              const share = shareOfTrait(traits, attribute);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: attributes can be identical.
                <li key={i}>
                  <bdi className="small soft">{attribute.trait}</bdi>
                  <bdi>{attribute.value}</bdi>
                  {share !== undefined && (
                    <span className="small soft number">
                      {t("{share} have this", { share: formatPercent(share / 100, language) })}
                    </span>
                  )}
                </li>
              );
            })}
          </ul>
        )}
        {!isUnavailable(failed.error) && (
          <FailedRead query={failed}>{t("Rarity could not be loaded")}</FailedRead>
        )}
      </div>
    </section>
  );
}

function Owners({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Owners")}
      label={t("Loading owners")}
      operation={Web3API.token.getTokenIdOwners}
      params={{ address, token_id: id }}
      file={{ name: `owners-${address}-${id}`, columns: OWNER_COLUMNS }}
    >
      {(rows) => <OwnerTable rows={rows} />}
    </PagedList>
  );
}

function Transfers({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  return (
    <PagedList
      title={t("Transfers")}
      label={t("Loading transfers")}
      operation={Web3API.token.getWalletTokenIdTransfers}
      params={{ address, token_id: id }}
      isLive
      file={{ name: `transfers-${address}-${id}`, columns: NFT_TRANSFER_COLUMNS }}
    >
      {(rows) => <NftTransferTable rows={rows} empty={<EmptyState title={t("No transfers")} />} />}
    </PagedList>
  );
}

function Metadata({ nft }: { nft: Nft }) {
  const { t } = useTranslation();
  return (
    <section className="card stack" aria-label={t("Metadata")}>
      {nft.token_uri && <Code text={nft.token_uri.slice(0, 4_000)} label={t("Token URI")} wrap />}
      {nft.metadata ? (
        <Code text={formatJson(nft.metadata)} label={t("Metadata")} wrap />
      ) : (
        <EmptyState title={t("No metadata")}>{t("No metadata is available yet.")}</EmptyState>
      )}
    </section>
  );
}

function formatJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).slice(0, 50_000);
  } catch {
    return json.slice(0, 50_000);
  }
}
