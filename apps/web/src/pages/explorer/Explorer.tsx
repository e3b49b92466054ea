import { EmptyState, useTranslation } from "@purse/ui";
import { Link, Outlet, useMatchRoute, useSearch } from "@tanstack/react-router";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { useSettings } from "../../SettingsContext.tsx";
import { type AppChain, chainName } from "../../settings.ts";
import { useServerStatus } from "../home/useServerStatus.ts";
import { useAddressBook } from "../send/useAddressBook.ts";
import "./explorer.css";
import { ExplorerContext } from "./ExplorerContext.ts";
import { SearchBox } from "./SearchBox.tsx";

/** The frame of all explorer pages: chain, search box and current head. */
export function Explorer() {
  const { t } = useTranslation();
  const { chains } = useSettings();
  const { chain: chainParam } = useSearch({ from: "/explorer" });
  const chain = chains.find((each) => matchesChain(each, chainParam)) ?? (chainParam ? undefined : chains[0]);
  const server = useServerStatus();
  const { contacts: book } = useAddressBook();
  const bookText = JSON.stringify(
    book.map(({ address, name }) => [address.toLowerCase(), name.slice(0, 40)]),
  );
  const contacts = useMemo(() => new Map<string, string>(JSON.parse(bookText)), [bookText]);
  // Keeps the last known state while the server is unreachable.
  const chainState = server.chains?.find((each) => each.chain === chain?.id);
  const { head, indexed, safe, finalized, start, state: health } = chainState ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unchanged status must not rerender.
  const state = useMemo(
    () =>
      chain && {
        chain,
        head: head ?? indexed ?? undefined,
        safe: safe ?? undefined,
        final: finalized ?? undefined,
        start: start ?? undefined,
        contacts,
        server,
        state: chainState,
      },
    [chain, head, indexed, safe, finalized, start, health, server.state, contacts],
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
          <EmptyState title={chains.length === 0 ? t("No chain configured") : t("Chain not supported")}>
            {chains.length === 0
              ? t("Set PURSE_CHAIN_ETH_RPC_URL to a node URL and restart the server.")
              : t("Select one of the chains above.")}
          </EmptyState>
        </>
      )}
    </div>
  );
}

function ChainChips({ chains, chosen }: { chains: readonly AppChain[]; chosen: AppChain | undefined }) {
  const { t } = useTranslation();
  const matchRoute = useMatchRoute();
  // Addresses exist on every chain; blocks and transactions do not.
  const isChainIndependent = Boolean(
    matchRoute({ to: "/explorer/address/$address" }) || matchRoute({ to: "/explorer/token/$address" }),
  );
  return (
    <nav className="row chips" aria-label={t("Chains")}>
      {chains.map((chain) => (
        <Link
          key={chain.id}
          to={isChainIndependent ? "." : "/explorer"}
          search={{ chain: chain.hexId }}
          className="chip"
          aria-current={chain === chosen ? "true" : undefined}
        >
          {chainName(chain, t)}
        </Link>
      ))}
    </nav>
  );
}

function matchesChain(chain: AppChain, chainParam: string | undefined): boolean {
  return [chain.hexId, String(chain.id), chain.name].includes(chainParam?.toLowerCase() ?? "");
}

/** Highlights other occurrences of the hovered or focused address. */
function useHighlight(frame: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const point = (event: Event) => highlightSame(element, addressAt(event.target));
    const leave = () => highlightSame(element, undefined);
    element.addEventListener("pointerover", point);
    element.addEventListener("focusin", point);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("focusout", leave);
    return () => {
      element.removeEventListener("pointerover", point);
      element.removeEventListener("focusin", point);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("focusout", leave);
    };
  }, [frame]);
}

function addressAt(target: EventTarget | null): string | undefined {
  const found = target instanceof Element ? target.closest("[data-address]") : null;
  return found?.getAttribute("data-address") ?? undefined;
}

/** Highlights all occurrences of an address if there are several. */
function highlightSame(frame: HTMLElement, address: string | undefined): void {
  for (const marked of frame.querySelectorAll("[data-same]")) marked.removeAttribute("data-same");
  if (address === undefined) return;
  const same = [...frame.querySelectorAll("[data-address]")].filter(
    (each) => each.getAttribute("data-address") === address,
  );
  if (same.length > 1) for (const each of same) each.setAttribute("data-same", "");
}
