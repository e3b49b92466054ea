import { useMoralis } from "@purse/react";
import { AppCommands, type Command, LazyExtra, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { lazy, useState } from "react";
import { useConnectWallet } from "../wallet/ConnectWallet.tsx";
import type { FoundSearch } from "./FoundCommands.tsx";
import { PAGES } from "./pages.ts";

/** Loaded with the palette: what it finds besides pages and actions. */
const FoundCommands = lazy(() =>
  import("./FoundCommands.tsx").then((module) => ({ default: module.FoundCommands })),
);

/** The commands of the app: pages, account and wallet; besides what the explorer suggests and what is one's own. */
export function Commands({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [found, setFound] = useState<FoundSearch>();
  const { isInitialized, isAuthenticated, logout, account, deactivateWeb3 } = useMoralis();
  const connectWallet = useConnectWallet();
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
      keywords: "components colors",
      run: () => void navigate({ to: "/design" }),
    },
  ];
  return (
    <>
      {open && isInitialized && (
        <LazyExtra>
          <FoundCommands onFound={setFound} />
        </LazyExtra>
      )}
      <AppCommands {...{ open, onOpenChange, commands, ...found }} pages={PAGES} />
    </>
  );
}
