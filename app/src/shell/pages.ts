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

/** A page that stands in the navigation, in the commands and under a key. */
export interface Page {
  to: string;
  /** As the navigation says it: a sentence of the texts. */
  label: string;
  icon: LucideIcon;
  /** Pressed after `g`, from anywhere. */
  shortcut: string;
  /** Other words that people look for. */
  keywords?: string;
}

/** In the order of the navigation; a phone shows the first four and the rest under More. */
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
