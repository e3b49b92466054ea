import type { StudioRole } from "@purse/protocol";
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
  type LucideIcon,
  Mail,
  Network,
  Puzzle,
  ScrollText,
  ShieldCheck,
  SquareFunction,
  Table2,
  UsersRound,
  Webhook,
} from "lucide-react";
import { GRID_KEYS } from "./rooms/data/keys.ts";

/** A room stands in the navigation, in the commands and under a key. */
export interface Room {
  to: RoomPath;
  /** As the navigation says it: a sentence of the texts. */
  label: string;
  icon: LucideIcon;
  group: RoomGroup;
  /** Pressed after `g`, from anywhere. */
  letter: string;
  /** Left out for operators with less. */
  needs?: StudioRole;
  /** Other words that people look for. */
  words?: string;
  /** The keys of the room itself, for the list of keys. */
  keys?: readonly { keys: string[]; label: string }[];
}

/** In the order of the navigation. */
export const GROUPS = ["Data", "Work", "Server", "Access"] as const;
export type RoomGroup = (typeof GROUPS)[number];

export type RoomPath =
  | "/"
  | "/data"
  | "/classes"
  | "/permissions"
  | "/roles"
  | "/functions"
  | "/jobs"
  | "/hooks"
  | "/push"
  | "/mail"
  | "/config"
  | "/files"
  | "/plugins"
  | "/chains"
  | "/keys"
  | "/operators"
  | "/audit"
  | "/logs"
  | "/backup"
  | "/security";

/** In the order of the navigation; a phone shows the first four and the rest under More. */
export const ROOMS: readonly Room[] = [
  {
    to: "/",
    label: "Overview",
    icon: ChartLine,
    group: "Data",
    letter: "o",
    words: "charts requests latency",
  },
  {
    to: "/data",
    label: "Data",
    icon: Table2,
    group: "Data",
    letter: "d",
    words: "rows grid browser objects",
    keys: GRID_KEYS,
  },
  {
    to: "/classes",
    label: "Classes",
    icon: Boxes,
    group: "Data",
    letter: "c",
    words: "schema fields indexes",
  },
  {
    to: "/permissions",
    label: "Permissions",
    icon: LockKeyhole,
    group: "Data",
    letter: "p",
    words: "class level who can rights matrix protected fields",
  },
  {
    to: "/roles",
    label: "Roles",
    icon: Network,
    group: "Data",
    letter: "r",
    words: "graph gates tokens members",
  },
  { to: "/files", label: "Files", icon: FileText, group: "Data", letter: "f", words: "ipfs pins" },
  {
    to: "/functions",
    label: "Functions",
    icon: SquareFunction,
    group: "Work",
    letter: "n",
    words: "cloud code run",
  },
  { to: "/jobs", label: "Jobs", icon: Clock, group: "Work", letter: "j", words: "schedules cron" },
  { to: "/hooks", label: "Hooks", icon: Webhook, group: "Work", letter: "h", words: "deliveries web" },
  { to: "/push", label: "Push", icon: BellRing, group: "Work", letter: "u", words: "notifications" },
  { to: "/mail", label: "Mail", icon: Mail, group: "Work", letter: "m", words: "outbox" },
  { to: "/config", label: "Config", icon: Cog, group: "Work", letter: "g", words: "parameters settings" },
  { to: "/plugins", label: "Plugins", icon: Puzzle, group: "Work", letter: "i" },
  {
    to: "/chains",
    label: "Chains",
    icon: Link2,
    group: "Server",
    letter: "b",
    words: "rpc index lag watches",
  },
  { to: "/logs", label: "Logs", icon: ScrollText, group: "Server", letter: "l", words: "tail slow requests" },
  {
    to: "/backup",
    label: "Backup",
    icon: Archive,
    group: "Server",
    letter: "k",
    needs: "owner",
    words: "restore",
  },
  { to: "/keys", label: "API keys", icon: KeyRound, group: "Access", letter: "y", words: "usage" },
  {
    to: "/operators",
    label: "Operators",
    icon: UsersRound,
    group: "Access",
    letter: "e",
    words: "account password second factor sessions",
  },
  {
    to: "/audit",
    label: "Audit",
    icon: History,
    group: "Access",
    letter: "a",
    needs: "owner",
    words: "trail changes",
  },
  {
    to: "/security",
    label: "Security check",
    icon: ShieldCheck,
    group: "Access",
    letter: "s",
    words: "findings",
  },
];
