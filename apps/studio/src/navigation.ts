import type { StudioRole } from "@purse/server/studio-api";
import type { NavItem, ShortcutRow } from "@purse/ui";
import type { RegisteredRouter } from "@tanstack/react-router";
import {
  Archive,
  BellRing,
  Boxes,
  ChartLine,
  Clock,
  Cog,
  FileText,
  History,
  KeyRound,
  Link2,
  LockKeyhole,
  Mail,
  Network,
  Puzzle,
  ScrollText,
  ShieldCheck,
  SquareFunction,
  SquareTerminal,
  Table2,
  UsersRound,
  Webhook,
} from "lucide-react";
import { GRID_SHORTCUTS } from "./pages/data/gridShortcuts.ts";

/** An entry of the navigation, the command palette and the keyboard shortcuts. */
export interface StudioNavItem extends NavItem {
  to: PagePath;
  group: string;
  /** Hidden from operators with a lower role. */
  requiredRole?: StudioRole;
  /** Shortcuts of the page, for the shortcut sheet; the labels are translation keys. */
  keys?: readonly ShortcutRow[];
}

/** The path of a page. */
type PagePath = keyof RegisteredRouter["routesByPath"];

/** The groups of the navigation in its order; phones show the first four pages and the rest under More. */
const GROUPS: readonly { group: string; items: readonly Omit<StudioNavItem, "group">[] }[] = [
  {
    group: "Data",
    items: [
      { to: "/", label: "Overview", icon: ChartLine, shortcut: "o", keywords: "charts requests latency" },
      {
        to: "/data",
        label: "Data",
        icon: Table2,
        shortcut: "d",
        keywords: "rows grid browser objects",
        keys: GRID_SHORTCUTS,
      },
      { to: "/classes", label: "Classes", icon: Boxes, shortcut: "c", keywords: "schema fields indexes" },
      {
        to: "/permissions",
        label: "Permissions",
        icon: LockKeyhole,
        shortcut: "p",
        keywords: "class level who can rights matrix protected fields",
      },
      { to: "/roles", label: "Roles", icon: Network, shortcut: "r", keywords: "graph gates tokens members" },
      { to: "/files", label: "Files", icon: FileText, shortcut: "f", keywords: "ipfs pins" },
    ],
  },
  {
    group: "Application",
    items: [
      {
        to: "/functions",
        label: "Functions",
        icon: SquareFunction,
        shortcut: "n",
        keywords: "cloud code run",
      },
      {
        to: "/console",
        label: "API console",
        icon: SquareTerminal,
        shortcut: "t",
        keywords: "rest graphql explorer curl request",
      },
      { to: "/jobs", label: "Jobs", icon: Clock, shortcut: "j", keywords: "schedules cron" },
      { to: "/hooks", label: "Hooks", icon: Webhook, shortcut: "h", keywords: "deliveries web" },
      { to: "/push", label: "Push", icon: BellRing, shortcut: "u", keywords: "notifications" },
      { to: "/mail", label: "Email", icon: Mail, shortcut: "m", keywords: "outbox" },
      { to: "/config", label: "Config", icon: Cog, shortcut: "g", keywords: "parameters settings" },
      { to: "/plugins", label: "Plugins", icon: Puzzle, shortcut: "i" },
    ],
  },
  {
    group: "Server",
    items: [
      { to: "/chains", label: "Chains", icon: Link2, shortcut: "b", keywords: "rpc index lag watches" },
      { to: "/logs", label: "Logs", icon: ScrollText, shortcut: "l", keywords: "tail slow requests" },
      {
        to: "/backup",
        label: "Backup",
        icon: Archive,
        shortcut: "k",
        requiredRole: "owner",
        keywords: "restore",
      },
    ],
  },
  {
    group: "Access",
    items: [
      { to: "/keys", label: "API keys", icon: KeyRound, shortcut: "y", keywords: "usage" },
      {
        to: "/operators",
        label: "Operators",
        icon: UsersRound,
        shortcut: "e",
        keywords: "account password second factor sessions",
      },
      {
        to: "/audit",
        label: "Audit log",
        icon: History,
        shortcut: "a",
        requiredRole: "owner",
        keywords: "trail changes",
      },
      { to: "/security", label: "Security check", icon: ShieldCheck, shortcut: "s", keywords: "findings" },
    ],
  },
];

export const NAV_GROUPS = GROUPS.map(({ group }) => group);

export const NAV_ITEMS: readonly StudioNavItem[] = GROUPS.flatMap(({ group, items }) =>
  items.map((item) => ({ ...item, group })),
);
