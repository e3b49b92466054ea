import { Menu } from "@base-ui/react/menu";
import { Link, useRouterState } from "@tanstack/react-router";
import { CircleUserRound, Ellipsis, Search } from "lucide-react";
import { useState } from "react";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { ConnectionState } from "../../shell/ConnectionState.tsx";
import { LanguageSwitch } from "../../shell/LanguageSwitch.tsx";
import { Main } from "../../shell/Main.tsx";
import { ThemeSwitch } from "../../shell/ThemeSwitch.tsx";
import { StudioBrand } from "../access/StudioBrand.tsx";
import { GROUPS, type Room } from "../rooms.ts";
import { useOperator, useStudio } from "../StudioContext.tsx";
import { StudioCommands } from "./StudioCommands.tsx";
import { useRooms } from "./useRooms.ts";

/** As many as a phone has room for; the others stand under More. */
const AT_HAND = 4;

/** The common wrapper of all rooms: navigation, who is signed in, and what is said to everyone. */
export function StudioShell() {
  const { t } = useTranslation();
  const rooms = useRooms();
  const [isFinding, setIsFinding] = useState(false);
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
          <nav className="nav" aria-label={t("Rooms")}>
            {GROUPS.map((group) => (
              <div key={group} className="nav-group">
                <p className="nav-title">{t(group)}</p>
                {rooms
                  .filter((room) => room.group === group)
                  .map((room) => (
                    <RoomLink key={room.to} room={room} isAtHand={rooms.indexOf(room) < AT_HAND} />
                  ))}
              </div>
            ))}
            <MoreRooms rooms={rooms.slice(AT_HAND)} />
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
              aria-label={t("Find anything")}
              onClick={() => setIsFinding(true)}
            >
              <Search size={16} aria-hidden="true" />
              <span className="grow">{t("Find anything")}</span>
              <kbd>Ctrl K</kbd>
            </button>
            <ConnectionState />
            <OperatorMenu />
          </header>
          <Main />
        </div>
      </div>
      <StudioCommands open={isFinding} onOpenChange={setIsFinding} />
    </>
  );
}

function RoomLink({ room, isAtHand }: { room: Room; isAtHand: boolean }) {
  const { t } = useTranslation();
  const Sign = room.icon;
  return (
    <Link
      to={room.to}
      activeOptions={{ exact: room.to === "/", includeSearch: false }}
      className={isAtHand ? undefined : "not-at-hand"}
    >
      <Sign size={18} strokeWidth={1.8} aria-hidden="true" />
      {t(room.label)}
    </Link>
  );
}

function OperatorMenu() {
  const { t } = useTranslation();
  const studio = useStudio();
  const { username, role } = useOperator();
  const toast = useToast();
  const roles = { owner: t("owner"), editor: t("editor"), readOnly: t("read-only") };
  async function leave() {
    try {
      await studio.leave();
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
            <Menu.Item className="menu-item" onClick={() => void leave()}>
              {t("Sign out")}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** On a phone, the rooms that the bar has no room for. */
function MoreRooms({ rooms }: { rooms: readonly Room[] }) {
  const { t } = useTranslation();
  const path = useRouterState({ select: (state) => state.matches.at(-1)?.fullPath });
  const isHere = rooms.some(({ to }) => path === to);
  return (
    <Menu.Root>
      <Menu.Trigger className={isHere ? "more here" : "more"}>
        <Ellipsis size={20} strokeWidth={1.8} aria-hidden="true" />
        {t("More")}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={10} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu more-rooms">
            {rooms.map(({ to, label, icon: Sign }) => (
              <Menu.Item key={to} className="menu-item" render={<Link to={to} />}>
                <Sign size={18} aria-hidden="true" />
                {t(label)}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
