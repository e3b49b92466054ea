import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

export interface ExplorerLinkProps {
  kind: "tx" | "address" | "token" | "nft";
  /** A hash, an address, or for an NFT both parts: `0x…/12`. */
  id: string;
  /** Hex. */
  chain: string | undefined;
  className?: string;
  children: ReactNode;
}

/** To the explorer's page of something on the chain. */
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
