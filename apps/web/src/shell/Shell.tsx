import { useMoralis } from "@purse/react";
import { AppShell, Button, LazyExtra, useTranslation } from "@purse/ui";
import { Link, Outlet } from "@tanstack/react-router";
import { Wallet } from "lucide-react";
import { lazy, useState } from "react";
import { useSettings } from "../SettingsContext.tsx";
import { chainByHexId, chainName } from "../settings.ts";
import { ConnectWalletProvider, useConnectWallet } from "../wallet/ConnectWallet.tsx";
import { Brand } from "./Brand.tsx";
import { Commands } from "./Commands.tsx";
import { PAGES } from "./pages.ts";
import { RequireClient } from "./RequireClient.tsx";
import { useFreshUser } from "./useFreshUser.ts";

/** Loaded on demand: the first page does not need it. */
const TransactionWatcher = lazy(() =>
  import("../wallet/TransactionWatcher.tsx").then((module) => ({ default: module.TransactionWatcher })),
);

const OtherChain = lazy(() => import("./OtherChain.tsx").then((module) => ({ default: module.OtherChain })));
const AccountMenu = lazy(() =>
  import("./AccountMenu.tsx").then((module) => ({ default: module.AccountMenu })),
);

const OtherAccount = lazy(() =>
  import("./OtherAccount.tsx").then((module) => ({ default: module.OtherAccount })),
);

const NAV_GROUPS = [{ items: PAGES }];

const SessionEnded = lazy(() =>
  import("../pages/signIn/SessionEnded.tsx").then((page) => ({ default: page.SessionEnded })),
);

/** The app shell: navigation, account, network status and notifications. */
export function Shell() {
  const { t } = useTranslation();
  const { user, account, hasSessionEnded } = useMoralis();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useFreshUser();
  return (
    <ConnectWalletProvider>
      <AppShell
        navLabel={t("Pages")}
        groups={NAV_GROUPS}
        brand={<Brand />}
        headerBrand={<Brand />}
        searchLabel={t("Search or jump to…")}
        onSearch={() => setPaletteOpen(true)}
        header={
          <>
            <NetworkPill />
            {user && account === null && <HeaderConnectButton />}
            {(user || account !== null) && (
              <LazyExtra fallback={<span className="button">{t("Account")}</span>}>
                <AccountMenu />
              </LazyExtra>
            )}
            {!user && (
              <Link to="/sign-in" search={{}} className="button primary">
                {t("Sign in")}
              </Link>
            )}
          </>
        }
      >
        {user && (
          <LazyExtra>
            <OtherAccount />
          </LazyExtra>
        )}
        <RequireClient>
          <Outlet />
        </RequireClient>
      </AppShell>
      {hasSessionEnded && user && (
        <LazyExtra>
          <SessionEnded />
        </LazyExtra>
      )}
      <Commands open={isPaletteOpen} onOpenChange={setPaletteOpen} />
      {(user || account !== null) && (
        <LazyExtra>
          <TransactionWatcher />
        </LazyExtra>
      )}
    </ConnectWalletProvider>
  );
}

/** Hidden on phones, where the account menu has the action. */
function HeaderConnectButton() {
  const { t } = useTranslation();
  const connect = useConnectWallet();
  return (
    <Button icon={Wallet} className="connect" onClick={connect}>
      {t("Connect wallet")}
    </Button>
  );
}

/** The wallet's chain, and whether the server indexes it. */
function NetworkPill() {
  const { t } = useTranslation();
  const { chainId, isWeb3Enabled } = useMoralis();
  const settings = useSettings();
  if (!isWeb3Enabled || !chainId) return null;
  const chain = chainByHexId(settings, chainId);
  return chain ? (
    <span className="pill">{chainName(chain, t)}</span>
  ) : (
    <LazyExtra>
      <OtherChain hexId={chainId} />
    </LazyExtra>
  );
}
