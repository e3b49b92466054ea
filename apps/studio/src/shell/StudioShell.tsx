import { Menu } from "@base-ui/react/menu";
import {
  ConnectionState,
  explain,
  LanguageSwitch,
  Main,
  ThemeSwitch,
  useToast,
  useTranslation,
} from "@purse/ui";
import { Link, useRouterState } from "@tanstack/react-router";
import { CircleUserRound, Ellipsis, Search } from "lucide-react";
import { useState } from "react";
import { StudioBrand } from "../access/StudioBrand.tsx";
import { NAV_GROUPS, type NavItem } from "../navigation.ts";
import { useOperator, useStudio } from "../StudioContext.tsx";
import { StudioCommands } from "./StudioCommands.tsx";
import { useNavItems } from "./useNavItems.ts";

/** Items that fit the bar on phones; the others are under More. */
const MOBILE_NAV_ITEMS = 4;

/** Layout of all pages: navigation, operator menu and notices. */
export function StudioShell() {
  const { t } = useTranslation();
  const items = useNavItems();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  return (
    <>
      <a className="skip" href="#main">
        {t("Skip to content")}
      </a>
      <div className="shell studio">
        <aside className="side">
          <Link to="/" className="brand">
            <StudioBrand />
          </Link>
          <nav className="nav" aria-label={t("Navigation")}>
            {NAV_GROUPS.map((group) => (
              <div key={group} className="nav-group">
                <p className="nav-title">{t(group)}</p>
                {items
                  .filter((item) => item.group === group)
                  .map((item) => (
                    <NavLink
                      key={item.to}
                      item={item}
                      isVisibleOnMobile={items.indexOf(item) < MOBILE_NAV_ITEMS}
                    />
                  ))}
              </div>
            ))}
            <MoreMenu items={items.slice(MOBILE_NAV_ITEMS)} />
          </nav>
          <div className="side-foot">
            <ThemeSwitch />
            <LanguageSwitch />
          </div>
        </aside>
        <div className="main">
          <header className="topbar">
            <button
              type="button"
              className="find"
              aria-label={t("Search…")}
              onClick={() => setPaletteOpen(true)}
            >
              <Search size={16} aria-hidden="true" />
              <span className="grow">{t("Search…")}</span>
              <kbd>Ctrl K</kbd>
            </button>
            <ConnectionState />
            <OperatorMenu />
          </header>
          <Main />
        </div>
      </div>
      <StudioCommands open={isPaletteOpen} onOpenChange={setPaletteOpen} />
    </>
  );
}

function NavLink({ item, isVisibleOnMobile }: { item: NavItem; isVisibleOnMobile: boolean }) {
  const { t } = useTranslation();
  const Icon = item.icon;
  return (
    <Link
      to={item.to}
      activeOptions={{ exact: item.to === "/", includeSearch: false }}
      className={isVisibleOnMobile ? undefined : "not-in-bar"}
    >
      <Icon size={18} strokeWidth={1.8} aria-hidden="true" />
      {t(item.label)}
    </Link>
  );
}

function OperatorMenu() {
  const { t } = useTranslation();
  const studio = useStudio();
  const { username, role } = useOperator();
  const toast = useToast();
  const roles = { owner: t("owner"), editor: t("editor"), readOnly: t("read-only") };
  async function handleSignOut() {
    try {
      await studio.signOut();
    } catch (error) {
      toast(explain(error, t).detail);
    }
  }
  return (
    <Menu.Root>
      <Menu.Trigger className="button" aria-label={t("Operator {name}", { name: username })}>
        <CircleUserRound size={18} aria-hidden="true" />
        <bdi>{username}</bdi>
        <span className="soft small">{roles[role]}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" render={<Link to="/operators" />}>
              {t("My account")}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => void handleSignOut()}>
              {t("Sign out")}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The navigation items that do not fit the bar on phones. */
function MoreMenu({ items }: { items: readonly NavItem[] }) {
  const { t } = useTranslation();
  const path = useRouterState({ select: (state) => state.matches.at(-1)?.fullPath });
  const isActive = items.some(({ to }) => path === to);
  return (
    <Menu.Root>
      <Menu.Trigger className={isActive ? "more here" : "more"}>
        <Ellipsis size={20} strokeWidth={1.8} aria-hidden="true" />
        {t("More")}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={10} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu more-menu">
            {items.map(({ to, label, icon: Icon }) => (
              <Menu.Item key={to} className="menu-item" render={<Link to={to} />}>
                <Icon size={18} aria-hidden="true" />
                {t(label)}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
