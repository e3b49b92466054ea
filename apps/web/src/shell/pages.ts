import type { NavItem } from "@purse/ui";
import { Compass, FileCode2, Files, House, NotebookPen, Send, UserRound, WalletCards } from "lucide-react";

/** In the order of the navigation. Phones show the first four; the others are under More. */
export const PAGES: readonly NavItem[] = [
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
