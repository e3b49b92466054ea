import { formatDate, shortAddress, type Translator } from "@purse/ui";
import { parseSearch } from "./parseSearch.ts";

/** An explorer page suggested for a search text. */
export interface Suggestion {
  key: string;
  label: string;
  to: string;
}

/** Returns no suggestions for texts that could be page names. */
export function suggestions(text: string, { t, language }: Pick<Translator, "t" | "language">): Suggestion[] {
  const target = parseSearch(text, language);
  switch (target?.kind) {
    case "block":
      return [
        {
          key: "block",
          label: t("Block {block}", { block: target.block }),
          to: `/explorer/block/${target.block}`,
        },
      ];
    case "hash": {
      const hash = `${target.hash.slice(0, 10)}…${target.hash.slice(-4)}`;
      return [
        { key: "tx", label: t("Transaction {hash}", { hash }), to: `/explorer/tx/${target.hash}` },
        { key: "block", label: t("Block {block}", { block: hash }), to: `/explorer/block/${target.hash}` },
      ];
    }
    case "address": {
      const address = shortAddress(target.address);
      return [
        {
          key: "address",
          label: t("Address {address}", { address }),
          to: `/explorer/address/${target.address}`,
        },
      ];
    }
    case "name":
      return [
        {
          key: "name",
          label: t("Name {name}", { name: target.name }),
          to: `/explorer?q=${encodeURIComponent(target.name)}`,
        },
      ];
    case "date":
      return [
        {
          key: "date",
          label: t("Block at {date}", { date: formatDate(target.date, language) }),
          to: `/explorer?q=${encodeURIComponent(text.trim())}`,
        },
      ];
    default:
      return [];
  }
}

/** The search for a token, for texts that could be the symbol or name of one. */
export function searchSuggestions(
  text: string,
  { t, language }: Pick<Translator, "t" | "language">,
): Suggestion[] {
  const target = parseSearch(text, language);
  if (target?.kind !== "symbol" || target.symbol.length < 2) return [];
  const { symbol } = target;
  return [
    {
      key: "token",
      label: t('Search tokens for "{text}"', { text: symbol }),
      to: `/explorer?q=${encodeURIComponent(symbol)}`,
    },
  ];
}
