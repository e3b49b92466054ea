import { type Erc20Metadata, Web3API } from "@purse/client";
import { Button, explain, formatDate, isNotFound, stringParam, useTranslation } from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { lookupAddress, resolveName } from "../../wallet/domainNames.ts";
import { getBlock, getDateToBlock, getTransaction } from "./dataApi.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { parseSearch, type SearchTarget } from "./parseSearch.ts";
import { SearchInput } from "./SearchInput.tsx";

/** Searches blocks, transactions, addresses, names, dates and token symbols. */
export function SearchBox() {
  const { t, language } = useTranslation();
  const id = useId();
  const goTo = useGoTo();
  // The route of the frame leaves the params of the pages in it as they are.
  const q = stringParam(useSearch({ strict: false }).q);
  const [text, setText] = useState(q ?? "");
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [tokens, setTokens] = useState<readonly Erc20Metadata[]>([]);
  const latest = useRef(search);
  latest.current = search;
  // Runs searches from the URL immediately, for example from the command palette.
  useEffect(() => {
    if (q === undefined) return;
    setText(q);
    void latest.current(q);
  }, [q]);
  function submit(event: FormEvent) {
    event.preventDefault();
    void search(text);
  }
  async function search(text: string) {
    const target = parseSearch(text, language);
    setTokens([]);
    setProblem("");
    if (!target) {
      setProblem(
        text.trim() === ""
          ? t("Enter a search term.")
          : t("Not a valid address (40 hex characters) or hash (64 hex characters)."),
      );
      return;
    }
    setIsBusy(true);
    try {
      const found = await goTo(target);
      if (Array.isArray(found)) setTokens(found);
      else if (found) setProblem(found);
      else setText("");
    } catch (error) {
      const { title, detail } = explain(error, t);
      setProblem(`${title}. ${detail}`);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <search className="explorer-search">
      <form onSubmit={submit} className="field">
        <SearchInput
          label={t("Search by block, transaction, address, name, date or token")}
          placeholder={t("Block, transaction, address, name, date or token")}
          value={text}
          onChange={setText}
          problemId={problem ? `${id}-problem` : undefined}
        >
          <Button type="submit" variant="primary" busy={isBusy}>
            {t("Search")}
          </Button>
        </SearchInput>
        {problem && (
          <span id={`${id}-problem`} className="problem" role="alert">
            {problem}
          </span>
        )}
      </form>
      {tokens.length > 0 && (
        <div className="card stack tight" role="status">
          <p>{t("Several tokens match. Verify the contract address.")}</p>
          <ul className="list">
            {tokens.map(({ address, name, symbol, contract_type: standard }) => (
              <li key={address}>
                <Link
                  to={standard ? "/explorer/nft/$address" : "/explorer/token/$address"}
                  params={{ address }}
                  onClick={() => setTokens([])}
                >
                  <bdi>{name.slice(0, 60) || address}</bdi> (<bdi>{symbol.slice(0, 20)}</bdi>)
                </Link>
                <p className="address small">{address}</p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </search>
  );
}

/** Navigates to a search target. Resolves to an error message, or to several tokens to choose from. */
function useGoTo(): (target: SearchTarget) => Promise<string | Erc20Metadata[] | undefined> {
  const { t, language } = useTranslation();
  const navigate = useNavigate();
  const { hexId: chain } = useExplorer().chain;
  const toBlock = (block: string) => navigate({ to: "/explorer/block/$block", params: { block } });
  return async (target) => {
    switch (target.kind) {
      case "block":
        await toBlock(target.block);
        return undefined;
      case "address":
        await navigate({ to: "/explorer/address/$address", params: { address: target.address } });
        return undefined;
      case "hash": {
        const { hash } = target;
        const isTransaction = await exists(() => getTransaction({ chain, transaction_hash: hash }));
        const isBlock =
          !isTransaction && (await exists(() => getBlock({ chain, block_number_or_hash: hash })));
        if (isBlock) await toBlock(hash);
        else await navigate({ to: "/explorer/tx/$hash", params: { hash } });
        return undefined;
      }
      case "date": {
        const { block } = await getDateToBlock({ chain, date: target.date });
        await toBlock(String(block));
        return undefined;
      }
      case "name": {
        const address = await resolveName(target.name);
        if (!address) return t("{name} does not resolve to an address.", { name: target.name });
        await navigate({ to: "/explorer/address/$address", params: { address: address.toLowerCase() } });
        return undefined;
      }
      case "symbol": {
        const query = target.symbol;
        const found = await Web3API.token.searchTokens({ chain, query, include_collections: true });
        const bySymbol = found.filter(({ symbol }) => symbol.toLowerCase() === query.toLowerCase());
        const [only] = bySymbol.length > 0 ? bySymbol : found;
        if (!only) {
          const example = formatDate(Date.now(), language, "date");
          return `${t('Nothing found for "{text}".', { text: query })} ${t(
            "Try a block number, an address or a hash that starts with 0x, a name such as ada.eth, a date such as {date}, or the name of a token.",
            { date: example },
          )}`;
        }
        if (bySymbol.length > 1 || (bySymbol.length === 0 && found.length > 1)) return found.slice(0, 20);
        const page = only.contract_type ? "/explorer/nft/$address" : "/explorer/token/$address";
        await navigate({ to: page, params: { address: only.address } });
        return undefined;
      }
    }
  };
}

async function exists(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The name of an address; null if the lookup fails. */
export async function nameOf({ address }: { address: string }, options?: { signal?: AbortSignal }) {
  return { name: await lookupAddress(address, options).catch(() => null) };
}
