import { Menu } from "@base-ui/react/menu";
import { useMoralis } from "@purse/react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Address } from "../design/Address.tsx";
import { useSettings } from "../SettingsContext.tsx";
import { chainByHexId } from "../settings.ts";
import { Brand } from "./Brand.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

const PAGES = [
  { to: "/portfolio", label: "Portfolio", icon: "M3 7h18v12H3zM3 7l3-4h12l3 4M15 13h3" },
  { to: "/send", label: "Send", icon: "M4 20 20 4M9 4h11v11" },
  { to: "/notes", label: "Notes", icon: "M5 3h11l4 4v14H5zM9 11h7M9 15h7" },
  { to: "/account", label: "Account", icon: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 4-6 8-6s8 2 8 6" },
] as const;

/** The common wrapper of all pages: navigation, who is signed in, the network, and what is said to everyone. */
export function Shell() {
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Offline />
      <div className="shell">
        <aside className="side">
          <Brand />
          <nav className="nav" aria-label="Pages">
            {PAGES.map(({ to, label, icon }) => (
              <Link key={to} to={to}>
                <Icon path={icon} />
                {label}
              </Link>
            ))}
          </nav>
          <div className="side-foot">
            <ThemeSwitch />
          </div>
        </aside>
        <div className="main">
          <header className="topbar">
            <Brand />
            <NetworkPill />
            <AccountMenu />
          </header>
          <Main />
        </div>
      </div>
    </>
  );
}

/** After a change of page the focus goes to its heading, so that keyboards and screen readers follow. */
function Main() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what the focus follows.
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    const heading = main.current?.querySelector("h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
  }, [path]);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      <Outlet />
    </main>
  );
}

function AccountMenu() {
  const { user, isAuthenticated, account, logout, isLoggingOut } = useMoralis();
  if (!isAuthenticated || !user) {
    return (
      <Link to="/sign-in" className="button primary">
        Sign in
      </Link>
    );
  }
  const address = account ?? textOf(user.get("ethAddress"));
  return (
    <Menu.Root>
      <Menu.Trigger className="button" aria-label="Account menu">
        {address ? <Address address={address} short /> : textOf(user.get("username"))}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" render={<Link to="/account" />}>
              Account
            </Menu.Item>
            <Menu.Item className="menu-item" render={<Link to="/portfolio" search={{}} />}>
              Portfolio
            </Menu.Item>
            <Menu.Item className="menu-item" disabled={isLoggingOut} onClick={() => void logout()}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The chain that the wallet is on, and whether the server follows it. */
function NetworkPill() {
  const { chainId, isWeb3Enabled } = useMoralis();
  const settings = useSettings();
  if (!isWeb3Enabled || !chainId) return null;
  const chain = chainByHexId(settings, chainId);
  return chain ? (
    <span className="pill">{chain.name === "localdevchain" ? "Local chain" : chain.name}</span>
  ) : (
    <span className="pill warn">Unknown chain {chainId}</span>
  );
}

function Offline() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    window.addEventListener("online", update);
    window.addEventListener("offline", update);
    return () => {
      window.removeEventListener("online", update);
      window.removeEventListener("offline", update);
    };
  }, []);
  return (
    <div role="status">
      {online ? null : <p className="offline">You are offline. What you see may be old.</p>}
    </div>
  );
}

function Icon({ path }: { path: string }): ReactNode {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      aria-hidden="true"
    >
      <path d={path} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
