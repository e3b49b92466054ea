import { type Nft, Web3API } from "@purse/client";
import {
  Button,
  Code,
  EmptyState,
  explain,
  isNotFound,
  QueryState,
  RelativeTime,
  SkeletonList,
  Tabs,
  useToast,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usePageTitle } from "../../usePageTitle.ts";
import { isAddressText } from "./abi/addressText.ts";
import { AddressLink, Detail, DetailList } from "./components.tsx";
import { NFT_TRANSFER_COLUMNS, nftTransferCells, OWNER_COLUMNS, ownerCells } from "./csvColumns.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { getTokenIdMetadata } from "./dataService.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { NftImage } from "./NftGrid.tsx";
import { nftName, parseNftMetadata } from "./nftMetadata.ts";
import { OwnerTable } from "./OwnerTable.tsx";
import { PagedList } from "./PagedList.tsx";
import { NftTransferTable } from "./tables.tsx";

const PAGE_SIZE = 25;

export function NftPage() {
  const { address, id } = useParams({ from: "/explorer/nft/$address/$id" });
  const { t } = useTranslation();
  usePageTitle(t("NFT {id}", { id: id.slice(0, 12) }));
  if (!isAddressText(address) || !/^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(id)) {
    return (
      <>
        <h1>{t("NFT")}</h1>
        <EmptyState title={t("Invalid NFT")}>
          {t("An NFT needs a collection address (0x followed by 40 hex characters) and a token ID.")}
        </EmptyState>
      </>
    );
  }
  const lower = address.toLowerCase();
  return <NftDetails key={`${lower}/${id}`} address={lower} id={id} />;
}

function NftDetails({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const { tab } = useSearch({ from: "/explorer/nft/$address/$id" });
  const navigate = useNavigate({ from: "/explorer/nft/$address/$id" });
  const found = useDataQuery(getTokenIdMetadata, {
    chain: chain.hexId,
    address,
    token_id: id,
  });
  const tabs = [
    { key: "owners", label: t("Owners") },
    { key: "transfers", label: t("Transfers") },
    { key: "metadata", label: t("Metadata") },
  ];
  const shown = tabs.find(({ key }) => key === tab)?.key ?? "owners";
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <h1>{(found.data && nftName(found.data) && <bdi>{nftName(found.data)}</bdi>) || t("NFT")}</h1>
        <RefreshMetadataButton address={address} id={id} onRefreshed={() => void found.refetch()} />
      </div>
      <QueryState
        query={found}
        label={t("Loading NFT")}
        skeleton={
          <div className="card">
            <SkeletonList rows={6} label={t("Loading NFT")} />
          </div>
        }
        renderError={(error) =>
          isNotFound(error) ? (
            <EmptyState title={t("NFT not found")}>
              {t("This collection has no token with this ID.")}
            </EmptyState>
          ) : undefined
        }
      >
        {(nft) => (
          <>
            <NftSummary nft={nft} />
            <Tabs
              label={t("NFT details")}
              tabs={tabs}
              value={shown}
              onChange={(key) =>
                void navigate({
                  search: {
                    tab: key === "owners" ? undefined : key,
                    cursor: undefined,
                  },
                  replace: true,
                  resetScroll: false,
                })
              }
            >
              {shown === "owners" && <Owners address={address} id={id} />}
              {shown === "transfers" && <Transfers address={address} id={id} />}
              {shown === "metadata" && <Metadata nft={nft} />}
            </Tabs>
          </>
        )}
      </QueryState>
    </div>
  );
}

function NftSummary({ nft }: { nft: Nft }) {
  const { t, language } = useTranslation();
  const { description, attributes } = parseNftMetadata(nft.metadata);
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
        <DetailList>
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
          <Detail label={t("Type")}>{nft.contract_type}</Detail>
          {receiver && points ? (
            <Detail label={t("Royalty")}>
              <span className="number">
                {(points / 10_000).toLocaleString(language, { style: "percent", maximumFractionDigits: 2 })}
              </span>{" "}
              {t("to")} <AddressLink address={receiver} />
            </Detail>
          ) : null}
          <Detail label={t("Metadata updated")}>
            {nft.synced_at ? <RelativeTime at={nft.synced_at} /> : <span className="soft">{t("Never")}</span>}
          </Detail>
        </DetailList>
        {attributes.length > 0 && (
          <ul className="attributes" aria-label={t("Attributes")}>
            {attributes.map(({ trait, value }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attributes can be identical.
              <li key={i}>
                <bdi className="small soft">{trait}</bdi>
                <bdi>{value}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function RefreshMetadataButton({
  address,
  id,
  onRefreshed,
}: {
  address: string;
  id: string;
  onRefreshed: () => void;
}) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  async function run() {
    setIsBusy(true);
    try {
      await Web3API.token.reSyncMetadata({
        chain: chain.hexId,
        address,
        token_id: id,
        flag: "uri",
        mode: "sync",
      });
      toast(t("Metadata refreshed"));
      onRefreshed();
    } catch (error) {
      const { title, detail } = explain(error, t);
      toast(`${title}. ${detail}`);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <Button small busy={isBusy} onClick={run}>
      {t("Refresh metadata")}
    </Button>
  );
}

function useList(address: string, id: string) {
  const { chain } = useExplorer();
  const { cursor } = useSearch({ from: "/explorer/nft/$address/$id" });
  return {
    cursor,
    params: { chain: chain.hexId, address, token_id: id, limit: PAGE_SIZE, ...(cursor && { cursor }) },
  };
}

function Owners({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  const { cursor, params } = useList(address, id);
  const found = useDataQuery(Web3API.token.getTokenIdOwners, params);
  return (
    <section className="card stack tight" aria-label={t("Owners")}>
      <PagedList
        query={found}
        label={t("Loading owners")}
        cursor={cursor}
        file={{
          name: `owners-${address}-${id}`,
          columns: OWNER_COLUMNS,
          cells: ownerCells,
          page: (options) =>
            Web3API.token.getTokenIdOwners({ chain: params.chain, address, token_id: id, ...options }),
        }}
      >
        {(rows) => <OwnerTable rows={rows} />}
      </PagedList>
    </section>
  );
}

function Transfers({ address, id }: { address: string; id: string }) {
  const { t } = useTranslation();
  const { cursor, params } = useList(address, id);
  const found = useLiveDataQuery(Web3API.token.getWalletTokenIdTransfers, params, cursor === undefined);
  return (
    <section className="card stack tight" aria-label={t("Transfers")}>
      <PagedList
        query={found}
        label={t("Loading transfers")}
        cursor={cursor}
        file={{
          name: `transfers-${address}-${id}`,
          columns: NFT_TRANSFER_COLUMNS,
          cells: nftTransferCells,
          page: (options) =>
            Web3API.token.getWalletTokenIdTransfers({
              chain: params.chain,
              address,
              token_id: id,
              ...options,
            }),
        }}
      >
        {(rows) => <NftTransferTable rows={rows} empty={<EmptyState title={t("No transfers")} />} />}
      </PagedList>
    </section>
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
