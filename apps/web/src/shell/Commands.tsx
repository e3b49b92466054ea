import { useMoralis } from "@purse/react";
import { AppCommands, type Command, filterCommands, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useState } from "react";
import { searchSuggestions, suggestions } from "../pages/explorer/suggestions.ts";
import { useConnectWallet } from "../wallet/ConnectWallet.tsx";
import { PAGES } from "./pages.ts";

/** Loaded with the palette: reads what only some people have. */
const FoundCommands = lazy(() =>
  import("./FoundCommands.tsx").then((module) => ({ default: module.FoundCommands })),
);
/** Own contacts, tokens and classes that are shown at most. */
const MAX_FOUND = 12;

/** The commands of the app: pages, account, wallet and what the explorer suggests. */
export function Commands({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [found, setFound] = useState<readonly Command[]>([]);
  const { isInitialized, isAuthenticated, logout, account, deactivateWeb3 } = useMoralis();
  const connectWallet = useConnectWallet();
  const suggest = useCallback(
    (query: string): Command[] =>
      suggestions(query, t).map(({ key, label, to }) => ({
        key: `explorer ${key}`,
        label,
        hint: t("Explorer"),
        run: () => void navigate({ href: to }),
      })),
    [navigate, t],
  );
  const fallback = useCallback(
    (query: string): Command[] => [
      ...(query.trim() === "" ? [] : filterCommands(found, query).slice(0, MAX_FOUND)),
      ...searchSuggestions(query, t).map(({ key, label, to }) => ({
        key: `explorer ${key}`,
        label,
        hint: t("Explorer"),
        run: () => void navigate({ href: to }),
      })),
    ],
    [found, navigate, t],
  );
  const commands: Command[] = [
    isAuthenticated
      ? { key: "sign-out", label: t("Sign out"), run: () => void logout() }
      : { key: "sign-in", label: t("Sign in"), run: () => void navigate({ to: "/sign-in", search: {} }) },
    account === null
      ? { key: "connect", label: t("Connect a wallet"), run: connectWallet }
      : { key: "disconnect", label: t("Disconnect wallet"), run: () => void deactivateWeb3() },
    {
      key: "swap",
      label: t("Swap tokens"),
      keywords: "exchange dex wrap trade",
      run: () => void navigate({ to: "/swap", search: {} }),
    },
    {
      key: "design",
      label: t("Design system"),
      keywords: "components colours",
      run: () => void navigate({ to: "/design" }),
    },
  ];
  return (
    <>
      {open && isInitialized && (
        <Suspense>
          <FoundCommands onFound={setFound} />
        </Suspense>
      )}
      <AppCommands {...{ open, onOpenChange, commands, suggest, fallback }} pages={PAGES} />
    </>
  );
}
