import type { NftOwner } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Link } from "@tanstack/react-router";
import { ImageOff } from "lucide-react";
import { useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { CopyButton } from "../../design/CopyButton.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Moment } from "../../design/Moment.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { EmptyState, SkeletonList } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import { faceOf, nftPictureUrl } from "../../wallet/holdings.ts";

const PAGE = 24;

type Owned = NftOwner & { chain: AppChain };

function keyOf({ chain, token_address, token_id }: Owned): string {
  return `${chain.hexId}/${token_address}/${token_id}`;
}

/** The NFTs of an address, with their pictures where it is safe to show them. */
export function Nfts({ address, chains, isOwn }: { address: string; chains: AppChain[]; isOwn: boolean }) {
  const { t } = useTexts();
  const { Moralis } = useMoralis();
  const [shown, setShown] = useState(PAGE);
  const [chosenKey, setChosenKey] = useState<string>();
  // Grows as metadata is read again, so that pictures are asked for again too.
  const [round, setRound] = useState<number>();
  const nfts = useServerQuery({
    key: ["nfts", address, chains.map(({ hexId }) => hexId), shown],
    async read(options) {
      const pages = await Promise.all(
        chains.map(async (chain) => {
          const params = { address, chain: chain.hexId, limit: shown };
          const page = await Moralis.Web3API.account.getNFTs(params, options);
          return { total: page.total, rows: (page.result ?? []).map((row): Owned => ({ ...row, chain })) };
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
      <div className="section-head">
        <h2 id="nfts">{t("NFTs")}</h2>
        {data && (
          <span className="small soft">
            {t("read")} <Moment at={nfts.dataUpdatedAt} />
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
            <EmptyState title={t("No NFTs")}>{t("What this address collects is shown here.")}</EmptyState>
          ) : (
            <ul className="nft-grid">
              {rows.map((nft) => (
                <li key={keyOf(nft)}>
                  <button type="button" className="nft" onClick={() => setChosenKey(keyOf(nft))}>
                    <Picture nft={nft} width={256} {...(round !== undefined && { round })} />
                    <bdi className="clip nft-name">{faceOf(nft).name}</bdi>
                    <span className="small soft clip">
                      <bdi>{nft.name?.slice(0, 60) || t("Unnamed collection")}</bdi>
                      {nft.contract_type === "ERC1155" && ` × ${nft.amount}`}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      {data && data.rows.length < data.total && (
        <Button onClick={() => setShown(shown + PAGE)} busy={nfts.isFetching}>
          {t("Show more")}
        </Button>
      )}
      {chosen && (
        <NftDialog
          nft={chosen}
          isOwn={isOwn}
          round={round}
          onClose={() => setChosenKey(undefined)}
          onFresh={() => {
            setRound(Date.now());
            nfts.refetch();
          }}
        />
      )}
    </section>
  );
}

/** Nobody else gets to know who looks: the server has the picture, made small, with nothing in it that runs. */
function Picture({ nft, width, round }: { nft: Owned; width: 256 | 512; round?: number }) {
  const { t } = useTexts();
  const [broken, setBroken] = useState<string>();
  const url = faceOf(nft).hasPicture ? nftPictureUrl(nft, nft.chain, width, round) : undefined;
  if (url === undefined || broken === url) {
    return (
      <span className="nft-picture none">
        <ImageOff size={28} aria-hidden="true" />
        {url !== undefined && <span className="small soft">{t("Picture not available")}</span>}
      </span>
    );
  }
  return (
    <img
      className="nft-picture"
      src={url}
      alt=""
      width={width}
      height={width}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(url)}
    />
  );
}

function NftDialog({
  nft,
  isOwn,
  round,
  onClose,
  onFresh,
}: {
  nft: Owned;
  isOwn: boolean;
  round: number | undefined;
  onClose: () => void;
  onFresh: () => void;
}) {
  const { t } = useTexts();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const face = faceOf(nft);
  async function refresh() {
    setBusy(true);
    try {
      await Moralis.Web3API.token.reSyncMetadata({
        address: nft.token_address,
        token_id: nft.token_id,
        chain: nft.chain.hexId,
        flag: "uri",
        mode: "sync",
      });
      toast(t("The metadata has been read again."));
      onFresh();
    } catch (error) {
      const { title, detail } = explain(error, t);
      toast(`${title}. ${detail}`);
    } finally {
      setBusy(false);
    }
  }
  const id = `${nft.token_address}/${nft.token_id}`;
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={face.name}
      about={nft.name?.slice(0, 60)}
      actions={
        <>
          <Button busy={busy} onClick={() => void refresh()}>
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
        <Picture nft={nft} width={512} {...(round !== undefined && { round })} />
        {!nft.metadata && <p className="soft">{t("Its metadata could not be read yet.")}</p>}
        {face.description && <bdi className="prose">{face.description}</bdi>}
        <dl className="review">
          <dt>{t("Contract")}</dt>
          <dd>
            <Address address={nft.token_address} copy />
          </dd>
          <dt>{t("Number")}</dt>
          <dd className="number exact">
            {nft.token_id} <CopyButton text={nft.token_id} label={t("number")} />
          </dd>
          <dt>{t("Standard")}</dt>
          <dd>{nft.contract_type}</dd>
          {face.elsewhere && (
            <>
              <dt>{t("Picture lies at")}</dt>
              <dd className="exact">
                <code>{face.elsewhere.slice(0, 200)}</code>{" "}
                <CopyButton text={face.elsewhere} label={t("address of the picture")} />
              </dd>
            </>
          )}
        </dl>
        <p>
          <ExplorerLink kind="nft" id={id} chain={nft.chain.hexId}>
            {t("Open in the explorer")}
          </ExplorerLink>
        </p>
      </div>
    </Dialog>
  );
}
