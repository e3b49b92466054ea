import { Link, useRouterState } from "@tanstack/react-router";
import { Ellipsis, type LucideIcon, Search } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { formatNumber } from "../format/numbers.ts";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { ConnectionState } from "./ConnectionState.tsx";
import { LanguageSwitch } from "./LanguageSwitch.tsx";
import { Main } from "./Main.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

/** A page in the navigation, with its command and shortcut. */
export interface NavItem {
  /** Path of the route. */
  to: string;
  /** Translation key of the label. */
  label: string;
  icon: LucideIcon;
  /** The key pressed after `g`. */
  shortcut: string;
  /** Additional search terms for the command palette. */
  keywords?: string;
  /** How many things need attention on the page; nothing is shown for none. */
  badge?: number | undefined;
}

interface NavGroup {
  /** The heading, which phones do not show. */
  title?: string;
  items: readonly NavItem[];
}

export interface AppShellProps {
  className?: string;
  /** Accessible name of the navigation. */
  navLabel: string;
  groups: readonly NavGroup[];
  brand: ReactNode;
  /** The brand in the header of phones, which have no sidebar. */
  headerBrand?: ReactNode;
  searchLabel: string;
  onSearch: () => void;
  /** The end of the header: account and status. */
  header: ReactNode;
  children?: ReactNode;
}

/** Items in the bar of phones; the others are under More. */
const MOBILE_NAV_ITEMS = 4;

/** The layout of all pages of an app: navigation, header with search, and the page. */
export function AppShell(props: AppShellProps) {
  const { className = "", navLabel, groups, brand, headerBrand, searchLabel, onSearch } = props;
  const { t } = useTranslation();
  const items = groups.flatMap((group) => group.items);
  return (
    <>
      <a className="skip" href="#main">
        {t("Skip to content")}
      </a>
      <div className={`shell ${className}`}>
        <aside className="side">
          {brand}
          <nav className="nav" aria-label={navLabel}>
            {groups.map(({ title, items: links }) => (
              <div key={title ?? ""} className="nav-group">
                {title !== undefined && <p className="nav-title">{title}</p>}
                {links.map((item) => (
                  <NavLink key={item.to} item={item} isInBar={items.indexOf(item) < MOBILE_NAV_ITEMS} />
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
            {headerBrand}
            <button type="button" className="find" aria-label={searchLabel} onClick={onSearch}>
              <Search size={16} aria-hidden="true" />
              <span className="grow">{searchLabel}</span>
              <kbd>Ctrl K</kbd>
            </button>
            <ConnectionState />
            {props.header}
          </header>
          <Main>{props.children}</Main>
        </div>
      </div>
    </>
  );
}

function NavLink({
  item: { to, label, icon: Icon, badge = 0 },
  isInBar,
}: {
  item: NavItem;
  isInBar: boolean;
}) {
  const { t, language } = useTranslation();
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      className={isInBar ? undefined : "not-in-bar"}
    >
      <Icon size={20} strokeWidth={1.8} aria-hidden="true" />
      {t(label)}
      {badge > 0 && (
        <span className="nav-badge">
          <span className="visually-hidden">, </span>
          {formatNumber(badge, language)}
        </span>
      )}
    </Link>
  );
}

/** The remaining pages on phones, with theme and language, in a native popover. */
function MoreMenu({ items }: { items: readonly NavItem[] }) {
  const { t } = useTranslation();
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state): string | undefined => state.matches.at(-1)?.fullPath });
  return (
    <>
      <button
        type="button"
        className={items.some(({ to }) => to === path) ? "more here" : "more"}
        popoverTarget={id}
      >
        <Ellipsis size={20} strokeWidth={1.8} aria-hidden="true" />
        {t("More")}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        className="menu more-pages"
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {items.map(({ to, label, icon: Icon }) => (
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
