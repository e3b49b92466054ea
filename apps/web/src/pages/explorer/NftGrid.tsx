import type { Nft, NftOwner } from "@purse/client";
import { Skeleton, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { ImageOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { formatExactAmount } from "../../money/amount.ts";
import { integerOf } from "./Amount.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { hasImage, nftName } from "./nftMetadata.ts";

/** The server's sanitized, static image of an NFT. */
export function NftImage({ nft, width, label }: { nft: Nft | NftOwner; width: 256 | 512; label: string }) {
  const { chain } = useExplorer();
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken || !hasImage(nft.metadata)) {
    return (
      <span className="nft-picture none">
        <ImageOff size={28} aria-hidden="true" />
      </span>
    );
  }
  const query = new URLSearchParams({ chain: chain.hexId, width: String(width) });
  return (
    <img
      className="nft-picture"
      translate="no"
      src={`/api/v2/nft/${nft.token_address}/${encodeURIComponent(nft.token_id)}/image?${query}`}
      alt={label}
      width={width}
      height={width}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setIsBroken(true)}
    />
  );
}

export interface NftGridProps {
  nfts: readonly (Nft | NftOwner)[] | undefined;
  empty: ReactNode;
}

/** A grid of NFTs with images and names. */
export function NftGrid({ nfts, empty }: NftGridProps) {
  const { t, language } = useTranslation();
  if (nfts?.length === 0) return empty;
  if (!nfts) {
    return (
      <div className="nft-grid" role="status" aria-label={t("Loading NFTs")}>
        {["a", "b", "c", "d"].map((key) => (
          <Skeleton key={key} height="13rem" />
        ))}
      </div>
    );
  }
  return (
    <ul className="nft-grid">
      {nfts.map((nft) => (
        <li key={`${nft.token_address}/${nft.token_id}`}>
          <Link
            to="/explorer/nft/$address/$id"
            params={{ address: nft.token_address, id: nft.token_id }}
            className="nft-card"
          >
            <NftImage nft={nft} width={256} label="" />
            <span className="nft-words">
              <bdi className="clip">{nftName(nft)}</bdi>
              <span className="small soft clip number">
                #{nft.token_id}
                {nft.amount &&
                  nft.amount !== "1" &&
                  ` × ${formatExactAmount(integerOf(nft.amount), 0, language)}`}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
