import { useMoralis } from "@purse/react";
import { Button, ConnectionState, LanguageSwitch, Main, ThemeSwitch, useTranslation } from "@purse/ui";
import { CatchBoundary, Link, Outlet } from "@tanstack/react-router";
import { Ellipsis, Search, Wallet } from "lucide-react";
import { lazy, type ReactNode, Suspense, useId, useRef, useState } from "react";
import { useSettings } from "../SettingsContext.tsx";
import { chainByHexId } from "../settings.ts";
import { ConnectWalletProvider, useConnectWallet } from "../wallet/ConnectWallet.tsx";
import { Brand } from "./Brand.tsx";
import { Commands } from "./Commands.tsx";
import { PAGES } from "./pages.ts";
import { RequireClient } from "./RequireClient.tsx";

/** Loaded on demand: the first page does not need it. */
const TransactionWatcher = lazy(() =>
  import("../wallet/TransactionWatcher.tsx").then((module) => ({ default: module.TransactionWatcher })),
);

const AccountMenu = lazy(() =>
  import("./AccountMenu.tsx").then((module) => ({ default: module.AccountMenu })),
);

/** Items in the mobile navigation bar; the others are under More. */
const MOBILE_NAV_ITEMS = 4;

const SessionEnded = lazy(() =>
  import("../pages/signIn/SessionEnded.tsx").then((page) => ({ default: page.SessionEnded })),
);

/** The app shell: navigation, account, network status and notifications. */
export function Shell() {
  const { t } = useTranslation();
  const { user, account, hasSessionEnded } = useMoralis();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  return (
    <ConnectWalletProvider>
      <a className="skip" href="#main">
        {t("Skip to content")}
      </a>
      <div className="shell">
        <aside className="side">
          <Brand />
          <nav className="nav" aria-label={t("Pages")}>
            {PAGES.map(({ to, label, icon: Icon }, i) => (
              <Link key={to} to={to} className={i >= MOBILE_NAV_ITEMS ? "not-at-hand" : undefined}>
                <Icon size={20} strokeWidth={1.8} aria-hidden="true" />
                {t(label)}
              </Link>
            ))}
            <MoreMenu />
          </nav>
          <div className="side-foot">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </aside>
        <div className="main">
          <header className="topbar">
            <Brand />
            <button
              type="button"
              className="find"
              aria-label={t("Search or jump to…")}
              onClick={() => setPaletteOpen(true)}
            >
              <Search size={16} aria-hidden="true" />
              <span className="grow">{t("Search or jump to…")}</span>
              <kbd>Ctrl K</kbd>
            </button>
            <ConnectionState />
            <NetworkPill />
            {user && account === null && <HeaderConnectButton />}
            {(user || account !== null) && (
              <LazyBoundary fallback={<span className="button">{t("Account")}</span>}>
                <AccountMenu />
              </LazyBoundary>
            )}
            {!user && (
              <Link to="/sign-in" search={{}} className="button primary">
                {t("Sign in")}
              </Link>
            )}
          </header>
          <Main>
            <RequireClient>
              <Outlet />
            </RequireClient>
          </Main>
        </div>
      </div>
      {hasSessionEnded && user && (
        <LazyBoundary>
          <SessionEnded />
        </LazyBoundary>
      )}
      <LazyBoundary>
        <Commands open={isPaletteOpen} onOpenChange={setPaletteOpen} />
      </LazyBoundary>
      {(user || account !== null) && (
        <LazyBoundary>
          <TransactionWatcher />
        </LazyBoundary>
      )}
    </ConnectWalletProvider>
  );
}

/** Hidden on phones, where the account menu has the action. */
function HeaderConnectButton() {
  const { t } = useTranslation();
  const connect = useConnectWallet();
  return (
    <Button className="connect" onClick={connect}>
      <Wallet size={16} aria-hidden="true" />
      {t("Connect wallet")}
    </Button>
  );
}

/** Loads its children on demand. If they fail to load, the page works without them. */
function LazyBoundary({ children, fallback }: { children: ReactNode; fallback?: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => "shell"} errorComponent={() => fallback}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </CatchBoundary>
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
    <span className="pill">{chain.name === "localdevchain" ? t("Local chain") : chain.name}</span>
  ) : (
    <span className="pill warn">{t("Unknown chain {chain}", { chain: chainId })}</span>
  );
}

/** The remaining pages on phones, in a native popover. */
function MoreMenu() {
  const { t } = useTranslation();
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="more" popoverTarget={id}>
        <Ellipsis size={20} strokeWidth={1.8} aria-hidden="true" />
        {t("More")}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        className="menu more-pages"
        onToggle={({ newState }) => setIsOpen(newState === "open")}
      >
        {PAGES.slice(MOBILE_NAV_ITEMS).map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} className="menu-item" onClick={() => popup.current?.hidePopover()}>
            <Icon size={18} aria-hidden="true" />
            {t(label)}
          </Link>
        ))}
        {isOpen && (
          <div className="more-foot">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        )}
      </div>
    </>
  );
}
