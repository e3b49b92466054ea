import { FileCode2, House, type LucideIcon, NotebookPen, Send, UserRound, WalletCards } from "lucide-react";

/** A page that stands in the navigation, in the commands and under a key. */
export interface Page {
  to: string;
  /** As the navigation says it: a sentence of the texts. */
  label: string;
  icon: LucideIcon;
  /** Pressed after `g`, from anywhere. */
  letter: string;
  /** Other words that people look for. */
  words?: string;
}

/** In the order of the navigation; a phone shows the first four and the rest under More. */
export const PAGES: readonly Page[] = [
  { to: "/", label: "Home", icon: House, letter: "h", words: "start snippets status" },
  {
    to: "/portfolio",
    label: "Portfolio",
    icon: WalletCards,
    letter: "p",
    words: "tokens balance nft history",
  },
  { to: "/send", label: "Send", icon: Send, letter: "s", words: "transfer pay" },
  {
    to: "/contract",
    label: "Contract",
    icon: FileCode2,
    letter: "c",
    words: "abi read write call function",
  },
  { to: "/notes", label: "Notes", icon: NotebookPen, letter: "n", words: "data live" },
  {
    to: "/account",
    label: "Account",
    icon: UserRound,
    letter: "a",
    words: "profile wallets sessions password",
  },
];
