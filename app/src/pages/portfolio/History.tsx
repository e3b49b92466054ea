import { useMoralis } from "@purse/react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Switch } from "../../design/Choice.tsx";
import { Moment } from "../../design/Moment.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { Status } from "../../design/Status.tsx";
import { EmptyState, SkeletonList } from "../../design/states.tsx";
import { displayAmount, exactAmount } from "../../money/amount.ts";
import { worth } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import type { Asset } from "../../wallet/holdings.ts";
import { isNoise, type Move, readMoves } from "./moves.ts";

const PAGE = 20;

/** What has come and gone, newest first. */
export function History({
  address,
  chains,
  assets,
}: {
  address: string;
  chains: AppChain[];
  assets: readonly Asset[];
}) {
  const { t, count } = useTexts();
  const { Moralis } = useMoralis();
  const { history: all } = useSearch({ from: "/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const [limit, setLimit] = useState(PAGE);
  const history = useServerQuery({
    key: ["moves", address, chains.map(({ hexId }) => hexId), limit],
    async read(options) {
      const parts = await Promise.all(
        chains.map((chain) => readMoves(Moralis.Web3API, address, chain, limit, options)),
      );
      const moves = parts.flatMap((part) => part.moves).sort((a, b) => b.at - a.at);
      const tokens = await readTokens(moves, assets, options);
      return { moves, tokens, more: parts.some((part) => part.more) };
    },
    keepPrevious: "always",
  });
  const { data } = history;

  /** Tokens that are no longer held have their symbols and decimals too. */
  async function readTokens(
    moves: readonly Move[],
    known: readonly Asset[],
    options: { signal: AbortSignal },
  ): Promise<Map<string, Unit>> {
    const units = new Map<string, Unit>();
    for (const asset of known) {
      if (asset.address) units.set(`${asset.chain.hexId}/${asset.address}`, asset);
    }
    for (const chain of chains) {
      const wanted = moves.flatMap(({ kind, contract, chain: of }) =>
        kind === "erc20" && contract && of === chain && !units.has(`${chain.hexId}/${contract}`)
          ? [contract]
          : [],
      );
      const addresses = [...new Set(wanted)].slice(0, 100);
      if (addresses.length === 0) continue;
      const rows = await Moralis.Web3API.token.getTokenMetadata({ addresses, chain: chain.hexId }, options);
      for (const row of rows) {
        const unit = { symbol: row.symbol ?? "", decimals: Number(row.decimals) || 0 };
        units.set(`${chain.hexId}/${row.address.toLowerCase()}`, unit);
      }
    }
    return units;
  }

  function usdOf({ kind, chain, contract, amount }: Move): number | undefined {
    const token = kind === "native" ? null : contract;
    const asset = assets.find((each) => each.chain === chain && each.address === token);
    return asset?.usdPrice ? worth(amount, asset.decimals, asset.usdPrice) : undefined;
  }

  const shown = data?.moves.filter((move) => all === "all" || !isNoise(move, usdOf(move)));
  const hidden = (data?.moves.length ?? 0) - (shown?.length ?? 0);
  return (
    <section className="card stack" aria-labelledby="history">
      <div className="section-head">
        <h2 id="history">{t("History")}</h2>
        <Switch
          label={t("Dust and moves of nothing too")}
          checked={all === "all"}
          onChange={(on) =>
            void navigate({
              search: (before) => ({ ...before, history: on ? "all" : undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <QueryState
        query={history}
        label={t("Loading history")}
        skeleton={<SkeletonList rows={4} label={t("Loading history")} />}
      >
        {({ tokens }) =>
          !shown || shown.length === 0 ? (
            <EmptyState title={t("Nothing has moved yet")} />
          ) : (
            <ul className="list">
              {shown.map((move) => (
                <MoveRow
                  key={`${move.chain.hexId}/${move.key}`}
                  move={move}
                  unit={tokens.get(`${move.chain.hexId}/${move.contract}`)}
                />
              ))}
            </ul>
          )
        }
      </QueryState>
      {hidden > 0 && (
        <p className="small soft">
          {count(hidden, "{n} move of nothing or dust is hidden", "{n} moves of nothing or dust are hidden")}
        </p>
      )}
      <div className="row">
        {data?.more && (
          <Button onClick={() => setLimit(limit + PAGE)} busy={history.isFetching}>
            {t("Show more")}
          </Button>
        )}
        {data && (
          <span className="small soft">
            {t("read")} <Moment at={history.dataUpdatedAt} />
          </span>
        )}
      </div>
    </section>
  );
}

interface Unit {
  symbol: string;
  decimals: number;
}

function MoveRow({ move, unit }: { move: Move; unit: Unit | undefined }) {
  const { t, language } = useTexts();
  const sign = move.direction === "in" ? "+" : "−";
  return (
    <li className="transfer">
      <span className="move-what">
        <span className="strong">
          {t(wordsOf(move))} {move.method && <bdi className="method">{move.method.slice(0, 40)}</bdi>}{" "}
          {move.failed && <Status kind="danger">{t("failed")}</Status>}
        </span>
        {move.other && <Address address={move.other} short />}
      </span>
      <span className="right number">
        {move.kind !== "call" && (
          <span title={exactOf(move, unit)}>
            {sign}
            {amountOf(move, unit, language)}
          </span>
        )}
        <span className="small soft">
          <ExplorerLink kind="tx" id={move.hash} chain={move.chain.hexId}>
            <Moment at={move.at} />
          </ExplorerLink>
        </span>
      </span>
    </li>
  );
}

function wordsOf({ kind, direction, other }: Move): string {
  if (other === null) return "Contract made";
  if (kind === "call") return direction === "in" ? "Called by" : "Contract called";
  if (direction === "self") return "Sent to oneself";
  return direction === "out" ? "Sent to" : "Received from";
}

function amountOf(move: Move, unit: Unit | undefined, language: string) {
  if (move.kind === "nft") {
    return (
      <>
        {move.amount > 1n && `${move.amount} × `}NFT <bdi>#{move.tokenId?.slice(0, 12)}</bdi>
      </>
    );
  }
  const { symbol, decimals } = move.kind === "native" ? move.chain.nativeCurrency : (unit ?? UNITS);
  return (
    <>
      {displayAmount(move.amount, decimals, language)} <bdi className="soft">{symbol.slice(0, 16)}</bdi>
    </>
  );
}

/** Of a token that does not tell its decimals only the smallest units can be told. */
const UNITS: Unit = { symbol: "units", decimals: 0 };

function exactOf(move: Move, unit: Unit | undefined): string {
  if (move.kind === "nft") return `#${move.tokenId}`;
  const { symbol, decimals } = move.kind === "native" ? move.chain.nativeCurrency : (unit ?? UNITS);
  return `${exactAmount(move.amount, decimals)} ${symbol}`;
}
