import { Link, Outlet, useMatchRoute, useSearch } from "@tanstack/react-router";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { EmptyState } from "../../design/states.tsx";
import { useSettings } from "../../SettingsContext.tsx";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useServerStatus } from "../home/useServerStatus.ts";
import "./explorer.css";
import { ExplorerContext } from "./ExplorerContext.ts";
import { SearchBox } from "./SearchBox.tsx";

/** What all pages of the explorer stand in: the chain, the search box, and the head as it moves. */
export function Explorer() {
  const { t } = useTexts();
  const { chains } = useSettings();
  const { chain: wanted } = useSearch({ from: "/explorer" });
  const chain = chains.find((each) => isCalled(each, wanted)) ?? (wanted ? undefined : chains[0]);
  const server = useServerStatus();
  // What the server told last stays while it does not answer: blocks do not go.
  const told = server.chains?.find((each) => each.chain === chain?.id);
  const { head, indexed, safe, finalized, start, state: health } = told ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that tells the same renders nothing anew.
  const state = useMemo(
    () =>
      chain && {
        chain,
        head: head ?? indexed ?? undefined,
        safe: safe ?? undefined,
        final: finalized ?? undefined,
        start: start ?? undefined,
        server,
        state: told,
      },
    [chain, head, indexed, safe, finalized, start, health, server.state],
  );
  const frame = useRef<HTMLDivElement>(null);
  useHighlight(frame);
  return (
    <div className="explorer" ref={frame}>
      {chains.length > 1 && <ChainChips chains={chains} chosen={chain} />}
      {state ? (
        <ExplorerContext value={state}>
          <SearchBox key={state.chain.hexId} />
          <Outlet key={state.chain.hexId} />
        </ExplorerContext>
      ) : (
        <>
          <h1>{t("Explorer")}</h1>
          <EmptyState
            title={chains.length === 0 ? t("No chain is followed yet") : t("This chain is not followed here")}
          >
            {chains.length === 0
              ? t("Set PURSE_CHAIN_ETH_RPC_URL to a node's address and start again.")
              : t("Choose one of the chains above.")}
          </EmptyState>
        </>
      )}
    </div>
  );
}

function ChainChips({ chains, chosen }: { chains: readonly AppChain[]; chosen: AppChain | undefined }) {
  const { t } = useTexts();
  const matches = useMatchRoute();
  // An address is one on every chain; blocks and transactions are not.
  const stays = Boolean(
    matches({ to: "/explorer/address/$address" }) || matches({ to: "/explorer/token/$address" }),
  );
  return (
    <nav className="row chips" aria-label={t("Chains")}>
      {chains.map((chain) => (
        <Link
          key={chain.id}
          to={stays ? "." : "/explorer"}
          search={{ chain: chain.hexId }}
          className="chip"
          aria-current={chain === chosen ? "true" : undefined}
        >
          {chain.name === "localdevchain" ? t("Local chain") : chain.name}
        </Link>
      ))}
    </nav>
  );
}

function isCalled(chain: AppChain, wanted: string | undefined): boolean {
  return [chain.hexId, String(chain.id), chain.name].includes(wanted?.toLowerCase() ?? "");
}

/** While the pointer or the focus is on an address, the same address shows wherever else it stands. */
function useHighlight(frame: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const within = frame.current;
    if (!within) return undefined;
    const point = (event: Event) => markSame(within, addressAt(event.target));
    const leave = () => markSame(within, undefined);
    within.addEventListener("pointerover", point);
    within.addEventListener("focusin", point);
    within.addEventListener("pointerleave", leave);
    within.addEventListener("focusout", leave);
    return () => {
      within.removeEventListener("pointerover", point);
      within.removeEventListener("focusin", point);
      within.removeEventListener("pointerleave", leave);
      within.removeEventListener("focusout", leave);
    };
  }, [frame]);
}

function addressAt(target: EventTarget | null): string | undefined {
  const found = target instanceof Element ? target.closest("[data-address]") : null;
  return found?.getAttribute("data-address") ?? undefined;
}

/** Marks where else on the page the address under the pointer or the focus is; once alone it is nothing to tell. */
function markSame(frame: HTMLElement, address: string | undefined): void {
  for (const marked of frame.querySelectorAll("[data-same]")) marked.removeAttribute("data-same");
  if (address === undefined) return;
  const same = [...frame.querySelectorAll("[data-address]")].filter(
    (each) => each.getAttribute("data-address") === address,
  );
  if (same.length > 1) for (const each of same) each.setAttribute("data-same", "");
}
