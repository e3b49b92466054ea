import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

export interface ExplorerLinkProps {
  kind: "tx" | "address" | "token" | "nft";
  /** A hash, an address, or an NFT as `0x…/12`. */
  id: string;
  /** Hex chain ID. */
  chain: string | undefined;
  className?: string;
  children: ReactNode;
}

/** A link to an explorer page. */
export function ExplorerLink({ kind, id, chain, className, children }: ExplorerLinkProps) {
  const { history } = useRouter();
  const href = `/explorer/${kind}/${id}${chain ? `?chain=${chain}` : ""}`;
  function go(event: MouseEvent) {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  }
  return (
    <a href={href} className={className} onClick={go}>
      {children}
    </a>
  );
}
