import { shortAddress } from "../../money/address.ts";
import type { Texts } from "../../texts/text.ts";
import { meaningOf } from "./meaning.ts";

/** A page of the explorer that typed words may mean. */
export interface Suggestion {
  key: string;
  label: string;
  to: string;
}

/** Nothing for what may as well be the name of a page. */
export function suggestions(words: string, t: Texts["t"]): Suggestion[] {
  const meaning = meaningOf(words);
  switch (meaning?.kind) {
    case "block":
      return [
        {
          key: "block",
          label: t("Block {block}", { block: meaning.block }),
          to: `/explorer/block/${meaning.block}`,
        },
      ];
    case "hash": {
      const hash = `${meaning.hash.slice(0, 10)}…${meaning.hash.slice(-4)}`;
      return [
        { key: "tx", label: t("Transaction {hash}", { hash }), to: `/explorer/tx/${meaning.hash}` },
        {
          key: "block",
          label: t("Block {block}", { block: hash }),
          to: `/explorer/block/${meaning.hash}`,
        },
      ];
    }
    case "address": {
      const address = shortAddress(meaning.address);
      return [
        {
          key: "address",
          label: t("Address {address}", { address }),
          to: `/explorer/address/${meaning.address}`,
        },
      ];
    }
    case "name":
      return [
        {
          key: "name",
          label: t("Name {name}", { name: meaning.name }),
          to: `/explorer?q=${encodeURIComponent(meaning.name)}`,
        },
      ];
    default:
      return [];
  }
}
