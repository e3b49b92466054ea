import {
  Compass,
  FileCode2,
  Files,
  House,
  type LucideIcon,
  NotebookPen,
  Send,
  UserRound,
  WalletCards,
} from "lucide-react";

/** A page in the navigation, with its command and shortcut. */
export interface Page {
  to: string;
  /** Translation key of the label. */
  label: string;
  icon: LucideIcon;
  /** The key pressed after `g`. */
  shortcut: string;
  /** Additional search terms. */
  keywords?: string;
}

/** In the order of the navigation. Phones show the first four; the others are under More. */
export const PAGES: readonly Page[] = [
  { to: "/", label: "Home", icon: House, shortcut: "h", keywords: "start snippets status" },
  {
    to: "/portfolio",
    label: "Portfolio",
    icon: WalletCards,
    shortcut: "p",
    keywords: "tokens balance nft history",
  },
  { to: "/send", label: "Send", icon: Send, shortcut: "s", keywords: "transfer pay" },
  {
    to: "/explorer",
    label: "Explorer",
    icon: Compass,
    shortcut: "e",
    keywords: "blocks transactions chain tokens nft contracts",
  },
  {
    to: "/contract",
    label: "Contract",
    icon: FileCode2,
    shortcut: "c",
    keywords: "abi read write call function",
  },
  { to: "/data", label: "Data", icon: NotebookPen, shortcut: "d", keywords: "notes records classes live" },
  { to: "/files", label: "Files", icon: Files, shortcut: "f", keywords: "upload ipfs folder" },
  {
    to: "/account",
    label: "Account",
    icon: UserRound,
    shortcut: "a",
    keywords: "profile wallets sessions password",
  },
];
