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
  group: NavGroup;
  /** Hidden from operators with a lower role. */
  requiredRole?: StudioRole;
  /** Shortcuts of the page, for the shortcut sheet; the labels are translation keys. */
  keys?: readonly ShortcutRow[];
}

/** In navigation order. */
export const NAV_GROUPS = ["Data", "Application", "Server", "Access"] as const;
type NavGroup = (typeof NAV_GROUPS)[number];

/** The path of a page. */
type PagePath = keyof RegisteredRouter["routesByPath"];

/** In navigation order; phones show the first four and the rest under More. */
export const NAV_ITEMS: readonly StudioNavItem[] = [
  {
    to: "/",
    label: "Overview",
    icon: ChartLine,
    group: "Data",
    shortcut: "o",
    keywords: "charts requests latency",
  },
  {
    to: "/data",
    label: "Data",
    icon: Table2,
    group: "Data",
    shortcut: "d",
    keywords: "rows grid browser objects",
    keys: GRID_SHORTCUTS,
  },
  {
    to: "/classes",
    label: "Classes",
    icon: Boxes,
    group: "Data",
    shortcut: "c",
    keywords: "schema fields indexes",
  },
  {
    to: "/permissions",
    label: "Permissions",
    icon: LockKeyhole,
    group: "Data",
    shortcut: "p",
    keywords: "class level who can rights matrix protected fields",
  },
  {
    to: "/roles",
    label: "Roles",
    icon: Network,
    group: "Data",
    shortcut: "r",
    keywords: "graph gates tokens members",
  },
  { to: "/files", label: "Files", icon: FileText, group: "Data", shortcut: "f", keywords: "ipfs pins" },
  {
    to: "/functions",
    label: "Functions",
    icon: SquareFunction,
    group: "Application",
    shortcut: "n",
    keywords: "cloud code run",
  },
  {
    to: "/console",
    label: "API console",
    icon: SquareTerminal,
    group: "Application",
    shortcut: "t",
    keywords: "rest graphql explorer curl request",
  },
  {
    to: "/jobs",
    label: "Jobs",
    icon: Clock,
    group: "Application",
    shortcut: "j",
    keywords: "schedules cron",
  },
  {
    to: "/hooks",
    label: "Hooks",
    icon: Webhook,
    group: "Application",
    shortcut: "h",
    keywords: "deliveries web",
  },
  {
    to: "/push",
    label: "Push",
    icon: BellRing,
    group: "Application",
    shortcut: "u",
    keywords: "notifications",
  },
  { to: "/mail", label: "Email", icon: Mail, group: "Application", shortcut: "m", keywords: "outbox" },
  {
    to: "/config",
    label: "Config",
    icon: Cog,
    group: "Application",
    shortcut: "g",
    keywords: "parameters settings",
  },
  { to: "/plugins", label: "Plugins", icon: Puzzle, group: "Application", shortcut: "i" },
  {
    to: "/chains",
    label: "Chains",
    icon: Link2,
    group: "Server",
    shortcut: "b",
    keywords: "rpc index lag watches",
  },
  {
    to: "/logs",
    label: "Logs",
    icon: ScrollText,
    group: "Server",
    shortcut: "l",
    keywords: "tail slow requests",
  },
  {
    to: "/backup",
    label: "Backup",
    icon: Archive,
    group: "Server",
    shortcut: "k",
    requiredRole: "owner",
    keywords: "restore",
  },
  { to: "/keys", label: "API keys", icon: KeyRound, group: "Access", shortcut: "y", keywords: "usage" },
  {
    to: "/operators",
    label: "Operators",
    icon: UsersRound,
    group: "Access",
    shortcut: "e",
    keywords: "account password second factor sessions",
  },
  {
    to: "/audit",
    label: "Audit log",
    icon: History,
    group: "Access",
    shortcut: "a",
    requiredRole: "owner",
    keywords: "trail changes",
  },
  {
    to: "/security",
    label: "Security check",
    icon: ShieldCheck,
    group: "Access",
    shortcut: "s",
    keywords: "findings",
  },
];
