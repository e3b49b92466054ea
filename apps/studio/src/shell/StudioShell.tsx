import { Menu } from "@base-ui/react/menu";
import { AppShell, explain, useToast, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { CircleUserRound } from "lucide-react";
import { useState } from "react";
import { StudioBrand } from "../access/StudioBrand.tsx";
import { useStudioQuery } from "../components/useStudioQuery.ts";
import { NAV_GROUPS } from "../navigation.ts";
import { useOperator, useStudio } from "../StudioContext.tsx";
import { StudioCommands } from "./StudioCommands.tsx";
import { useNavItems } from "./useNavItems.ts";

/** Layout of all pages: navigation, operator menu and notices. */
export function StudioShell() {
  const { t } = useTranslation();
  const findings = useStudioQuery("/security", {});
  const items = useNavItems().map((item) =>
    item.to === "/security" ? { ...item, badge: findings.data?.results.length } : item,
  );
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  return (
    <>
      <AppShell
        className="studio"
        navLabel={t("Navigation")}
        groups={NAV_GROUPS.map((group) => ({
          title: t(group),
          items: items.filter((item) => item.group === group),
        }))}
        brand={
          <Link to="/" className="brand">
            <StudioBrand />
          </Link>
        }
        searchLabel={t("Search…")}
        onSearch={() => setPaletteOpen(true)}
        header={<OperatorMenu />}
      />
      <StudioCommands open={isPaletteOpen} onOpenChange={setPaletteOpen} />
    </>
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
            <Menu.Item className="menu-item" render={<a href="/docs/" />}>
              {t("Documentation")}
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
