import type { NftOwner } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  CopyButton,
  Detail,
  DetailList,
  Dialog,
  EmptyState,
  QueryState,
  RelativeTime,
  SkeletonList,
  useAction,
  useToast,
  useTranslation,
} from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { ImageOff } from "lucide-react";
import { useState } from "react";
import { formatExactAmount } from "../../money/amount.ts";
import { tokenStandard } from "../../money/tokenStandard.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import { nftDisplayOf, nftImageUrl } from "../../wallet/holdings.ts";

const PAGE_SIZE = 24;

type OwnedNft = NftOwner & { chain: AppChain };

function keyOf({ chain, token_address, token_id }: OwnedNft): string {
  return `${chain.hexId}/${token_address}/${token_id}`;
}

/** The NFTs of an address. */
export function Nfts({ address, chains, isOwn }: { address: string; chains: AppChain[]; isOwn: boolean }) {
  const { t, language } = useTranslation();
  const { Moralis } = useMoralis();
  const [shown, setShown] = useState(PAGE_SIZE);
  const [chosenKey, setChosenKey] = useState<string>();
  // Changes after a metadata refresh, so that images are reloaded.
  const [imageVersion, setImageVersion] = useState<number>();
  const nfts = useServerQuery({
    queryKey: ["nfts", address, chains.map(({ hexId }) => hexId), shown],
    async queryFn(options) {
      const pages = await Promise.all(
        chains.map(async (chain) => {
          const params = { address, chain: chain.hexId, limit: shown };
          const page = await Moralis.Web3API.account.getNFTs(params, options);
          return { total: page.total, rows: (page.result ?? []).map((row): OwnedNft => ({ ...row, chain })) };
        }),
      );
      return {
        total: pages.reduce((sum, page) => sum + page.total, 0),
        rows: pages.flatMap((page) => page.rows),
      };
    },
    keepPrevious: "always",
  });
  const { data } = nfts;
  const chosen = data?.rows.find((nft) => keyOf(nft) === chosenKey);
  return (
    <section className="card stack" aria-labelledby="nfts">
      <div className="row spread">
        <h2 id="nfts">{t("NFTs")}</h2>
        {data && (
          <span className="small soft">
            {t("updated")} <RelativeTime at={nfts.dataUpdatedAt} />
          </span>
        )}
      </div>
      <QueryState
        query={nfts}
        label={t("Loading NFTs")}
        skeleton={<SkeletonList rows={3} label={t("Loading NFTs")} />}
      >
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState title={t("No NFTs")}>{t("NFTs owned by this address will appear here.")}</EmptyState>
          ) : (
            <ul className="nft-grid">
              {rows.map((nft) => (
                <li key={keyOf(nft)}>
                  <button type="button" className="nft" onClick={() => setChosenKey(keyOf(nft))}>
                    <NftImage nft={nft} width={256} {...(imageVersion !== undefined && { imageVersion })} />
                    <bdi className="clip nft-name">{nftDisplayOf(nft).name}</bdi>
                    <span className="small soft clip">
                      <bdi>{nft.name?.slice(0, 60) || t("Unnamed collection")}</bdi>
                      {nft.contract_type === "ERC1155" &&
                        ` × ${formatExactAmount(BigInt(nft.amount ?? 1), 0, language)}`}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      {data && data.rows.length < data.total && (
        <Button onClick={() => setShown(shown + PAGE_SIZE)} busy={nfts.isFetching}>
          {t("Show more")}
        </Button>
      )}
      {chosen && (
        <NftDialog
          nft={chosen}
          isOwn={isOwn}
          imageVersion={imageVersion}
          onClose={() => setChosenKey(undefined)}
          onRefreshed={() => {
            setImageVersion(Date.now());
            nfts.refetch();
          }}
        />
      )}
    </section>
  );
}

/** An NFT image, proxied by the server for privacy and sanitized. */
function NftImage({ nft, width, imageVersion }: { nft: OwnedNft; width: 256 | 512; imageVersion?: number }) {
  const { t } = useTranslation();
  const [brokenUrl, setBrokenUrl] = useState<string>();
  const url = nftDisplayOf(nft).hasImage ? nftImageUrl(nft, nft.chain, width, imageVersion) : undefined;
  if (url === undefined || brokenUrl === url) {
    return (
      <span className="nft-picture none">
        <ImageOff size={28} aria-hidden="true" />
        {url !== undefined && <span className="small soft">{t("Image not available")}</span>}
      </span>
    );
  }
  return (
    <img
      className="nft-picture"
      translate="no"
      src={url}
      alt=""
      width={width}
      height={width}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBrokenUrl(url)}
    />
  );
}

interface NftDialogProps {
  nft: OwnedNft;
  isOwn: boolean;
  imageVersion: number | undefined;
  onClose: () => void;
  onRefreshed: () => void;
}

function NftDialog({ nft, isOwn, imageVersion, onClose, onRefreshed }: NftDialogProps) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const { run, busy } = useAction(
    async () => {
      await Moralis.Web3API.token.reSyncMetadata({
        address: nft.token_address,
        token_id: nft.token_id,
        chain: nft.chain.hexId,
        flag: "uri",
        mode: "sync",
      });
      toast(t("Metadata refreshed"));
      onRefreshed();
    },
    { errorsAs: "toast" },
  );
  const display = nftDisplayOf(nft);
  const id = `${nft.token_address}/${nft.token_id}`;
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={display.name}
      description={nft.name?.slice(0, 60)}
      actions={
        <>
          <Button busy={busy} onClick={run}>
            {t("Refresh metadata")}
          </Button>
          {isOwn && (
            <Link to="/send" search={{ asset: id, chain: nft.chain.hexId }} className="button primary">
              {t("Send")}
            </Link>
          )}
        </>
      }
    >
      <div className="stack">
        <NftImage nft={nft} width={512} {...(imageVersion !== undefined && { imageVersion })} />
        {!nft.metadata && <p className="soft">{t("Metadata is not available yet.")}</p>}
        {display.description && <bdi className="prose">{display.description}</bdi>}
        <DetailList className="review">
          <Detail label={t("Contract")}>
            <Address address={nft.token_address} copy />
          </Detail>
          <Detail label={t("Token ID")} className="number exact">
            {nft.token_id} <CopyButton text={nft.token_id} label={t("number")} />
          </Detail>
          <Detail label={t("Standard")}>{tokenStandard(nft.contract_type)}</Detail>
          {display.imageUrl && (
            <Detail label={t("Image URL")} className="exact">
              <code>{display.imageUrl.slice(0, 200)}</code>{" "}
              <CopyButton text={display.imageUrl} label={t("image URL")} />
            </Detail>
          )}
        </DetailList>
        <p>
          <ExplorerLink kind="nft" id={id} chain={nft.chain.hexId}>
            {t("View in explorer")}
          </ExplorerLink>
        </p>
      </div>
    </Dialog>
  );
}
