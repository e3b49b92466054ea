import { Web3API } from "@purse/client";
import { shortAddress, useTranslation } from "@purse/ui";
import { useEffect, useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { parseSearch } from "./parseSearch.ts";
import { suggestions } from "./suggestions.ts";

/** A page that is offered while a search text is typed. */
export interface SearchSuggestion {
  key: string;
  label: string;
  /** Distinguishes tokens with the same name. */
  detail?: string;
  kind: string;
  to: string;
}

const DEBOUNCE_MS = 150;
const MAX_SUGGESTIONS = 8;
/** Shorter texts match too many tokens. */
const MIN_LENGTH = 2;

/** What a text may refer to: a block, transaction, address or name; contacts, tokens and collections that begin with it. */
export function useSearchSuggestions(text: string): SearchSuggestion[] {
  const texts = useTranslation();
  const { t } = texts;
  const { chain, contacts } = useExplorer();
  const target = parseSearch(text, texts.language);
  const query = useDebounced(target?.kind === "symbol" ? target.symbol : "");
  const found = useServerQuery({
    queryKey: query.length < MIN_LENGTH ? undefined : ["search", chain.hexId, query.toLowerCase()],
    queryFn: (options) =>
      Web3API.token.searchTokens({ chain: chain.hexId, query, include_collections: true }, options),
  });
  const direct = suggestions(text, texts).map(({ key, label, to }) => ({ key, label, to, kind: t("Go to") }));
  if (target?.kind !== "symbol" || target.symbol.length < MIN_LENGTH) return direct;
  const beginning = target.symbol.toLowerCase();
  const ownContacts = [...contacts].flatMap(([address, name]): SearchSuggestion[] =>
    name.toLowerCase().startsWith(beginning)
      ? [
          {
            key: `contact ${address}`,
            label: name,
            detail: shortAddress(address),
            kind: t("Contact"),
            to: `/explorer/address/${address}`,
          },
        ]
      : [],
  );
  const tokens = (found.data ?? [])
    .filter(({ name, symbol }) =>
      [name, symbol].some((each) => each.trim().toLowerCase().startsWith(beginning)),
    )
    .map(({ address, name, symbol, contract_type: standard }): SearchSuggestion => {
      const title = name.slice(0, 60) || address;
      return {
        key: address,
        label: symbol === "" ? title : `${title} (${symbol.slice(0, 20)})`,
        detail: shortAddress(address),
        kind: standard ? t("Collection") : t("Token"),
        to: `/explorer/${standard ? "nft" : "token"}/${address}`,
      };
    });
  return [...ownContacts, ...tokens].slice(0, MAX_SUGGESTIONS);
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
