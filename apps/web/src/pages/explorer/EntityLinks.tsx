import type { Erc20Metadata } from "@purse/client";
import { formatNumber, Identicon, shortAddress, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { checksumOf } from "../../wallet/checksum.ts";
import { useAddressLabel } from "../../wallet/useAddressLabel.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** A link to an address. Hovering it highlights the same address on the page. */
export function AddressLink({ address, isFull }: { address: string; isFull?: boolean }) {
  const lower = address.toLowerCase();
  const checksummed = checksumOf(lower);
  const { chain, contacts } = useExplorer();
  const label = useAddressLabel(lower, chain.hexId, contacts.get(lower));
  return (
    <Link
      to="/explorer/address/$address"
      params={{ address: lower }}
      className="to-address"
      data-address={lower}
      title={checksummed}
    >
      <Identicon address={lower} size={18} />
      {isFull ? (
        <>
          {label && <bdi className="strong">{label}</bdi>} <span className="address">{checksummed}</span>
        </>
      ) : (
        <>
          <bdi aria-hidden="true" className={label ? "clip address-label" : "address"}>
            {label ?? shortAddress(checksummed)}
          </bdi>
          <span className="visually-hidden">
            {label} {checksummed}
          </span>
        </>
      )}
    </Link>
  );
}

export function TransactionLink({ hash, isFull }: { hash: string; isFull?: boolean }) {
  return (
    <Link to="/explorer/tx/$hash" params={{ hash }} className="address" title={hash}>
      {isFull ? (
        hash
      ) : (
        <>
          <span aria-hidden="true">{`${hash.slice(0, 10)}…`}</span>
          <span className="visually-hidden">{hash}</span>
        </>
      )}
    </Link>
  );
}

export function BlockLink({ block, children }: { block: string | number; children?: ReactNode }) {
  const { language } = useTranslation();
  return (
    <Link to="/explorer/block/$block" params={{ block: String(block) }} className="number">
      {children ?? formatNumber(Number(block), language)}
    </Link>
  );
}

/** A link to a token by its symbol, otherwise its address. Symbols are untrusted. */
export function TokenLink({ address, token }: { address: string; token: Erc20Metadata | undefined }) {
  const symbol = token?.symbol.slice(0, 20);
  return (
    <Link
      to="/explorer/token/$address"
      params={{ address }}
      title={`${(token?.name ?? "").slice(0, 80)} ${address}`.trim()}
      data-address={address}
      className="to-address"
    >
      {symbol ? (
        <bdi className="clip token-name">{symbol}</bdi>
      ) : (
        <span className="address">{shortAddress(address)}</span>
      )}
    </Link>
  );
}

export function NftLink({ address, id }: { address: string; id: string }) {
  return (
    <Link
      to="/explorer/nft/$address/$id"
      params={{ address, id }}
      title={`${address} #${id}`}
      className="number"
    >
      #{id.length > 12 ? `${id.slice(0, 10)}…` : id}
    </Link>
  );
}
