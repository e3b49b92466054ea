import { useMoralis } from "@purse/react";
import {
  Address,
  Button,
  EmptyState,
  QueryState,
  RelativeTime,
  SkeletonList,
  Status,
  Switch,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { exactAmount, formatAmount } from "../../money/amount.ts";
import { fiatValue } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import type { Asset } from "../../wallet/holdings.ts";
import { type ActivityItem, isNoise, readActivity } from "./activity.ts";

const PAGE_SIZE = 20;

/** The activity of an address, newest first. */
export function History({
  address,
  chains,
  assets,
}: {
  address: string;
  chains: AppChain[];
  assets: readonly Asset[];
}) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const { history: all } = useSearch({ from: "/portfolio" });
  const navigate = useNavigate({ from: "/portfolio" });
  const [limit, setLimit] = useState(PAGE_SIZE);
  const history = useServerQuery({
    queryKey: ["moves", address, chains.map(({ hexId }) => hexId), limit],
    async queryFn(options) {
      const pages = await Promise.all(
        chains.map((chain) => readActivity(Moralis.Web3API, address, chain, limit, options)),
      );
      const items = pages.flatMap((page) => page.items).sort((a, b) => b.at - a.at);
      const tokens = await readTokens(items, assets, options);
      return { moves: items, tokens, hasMore: pages.some((page) => page.hasMore) };
    },
    keepPrevious: "always",
  });
  const { data } = history;

  /** Includes tokens that are no longer held. */
  async function readTokens(
    items: readonly ActivityItem[],
    known: readonly Asset[],
    options: { signal: AbortSignal },
  ): Promise<Map<string, TokenUnit>> {
    const units = new Map<string, TokenUnit>();
    for (const asset of known) {
      if (asset.address) units.set(`${asset.chain.hexId}/${asset.address}`, asset);
    }
    for (const chain of chains) {
      const missingTokens = items.flatMap(({ kind, contract, chain: of }) =>
        kind === "erc20" && contract && of === chain && !units.has(`${chain.hexId}/${contract}`)
          ? [contract]
          : [],
      );
      const addresses = [...new Set(missingTokens)].slice(0, 100);
      if (addresses.length === 0) continue;
      const rows = await Moralis.Web3API.token.getTokenMetadata({ addresses, chain: chain.hexId }, options);
      for (const row of rows) {
        const unit = { symbol: row.symbol ?? "", decimals: Number(row.decimals) || 0 };
        units.set(`${chain.hexId}/${row.address.toLowerCase()}`, unit);
      }
    }
    return units;
  }

  function usdOf({ kind, chain, contract, amount }: ActivityItem): number | undefined {
    const token = kind === "native" ? null : contract;
    const asset = assets.find((each) => each.chain === chain && each.address === token);
    return asset?.usdPrice ? fiatValue(amount, asset.decimals, asset.usdPrice) : undefined;
  }

  const shown = data?.moves.filter((item) => all === "all" || !isNoise(item, usdOf(item)));
  const hidden = (data?.moves.length ?? 0) - (shown?.length ?? 0);
  return (
    <section className="card stack" aria-labelledby="history">
      <div className="section-head">
        <h2 id="history">{t("History")}</h2>
        <Switch
          label={t("Show dust and zero-value transfers")}
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
            <EmptyState title={t("No activity yet")} />
          ) : (
            <ul className="list">
              {shown.map((item) => (
                <ActivityRow
                  key={`${item.chain.hexId}/${item.key}`}
                  item={item}
                  unit={tokens.get(`${item.chain.hexId}/${item.contract}`)}
                />
              ))}
            </ul>
          )
        }
      </QueryState>
      {hidden > 0 && (
        <p className="small soft">
          {t(
            "{n, plural, one {# dust or zero-value transfer hidden} other {# dust or zero-value transfers hidden}}",
            { n: hidden },
          )}
        </p>
      )}
      <div className="row">
        {data?.hasMore && (
          <Button onClick={() => setLimit(limit + PAGE_SIZE)} busy={history.isFetching}>
            {t("Show more")}
          </Button>
        )}
        {data && (
          <span className="small soft">
            {t("updated")} <RelativeTime at={history.dataUpdatedAt} />
          </span>
        )}
      </div>
    </section>
  );
}

interface TokenUnit {
  symbol: string;
  decimals: number;
}

function ActivityRow({ item, unit }: { item: ActivityItem; unit: TokenUnit | undefined }) {
  const { t, language } = useTranslation();
  const sign = item.direction === "in" ? "+" : "−";
  return (
    <li className="transfer">
      <span className="move-what">
        <span className="strong">
          {t(activityLabel(item))} {item.method && <bdi className="method">{item.method.slice(0, 40)}</bdi>}{" "}
          {item.failed && <Status kind="danger">{t("failed")}</Status>}
        </span>
        {item.counterparty && <Address address={item.counterparty} short />}
      </span>
      <span className="right number">
        {item.kind !== "call" && (
          <span title={exactAmountOf(item, unit)}>
            {sign}
            {renderAmount(item, unit, language)}
          </span>
        )}
        <span className="small soft">
          <ExplorerLink kind="tx" id={item.hash} chain={item.chain.hexId}>
            <RelativeTime at={item.at} />
          </ExplorerLink>
        </span>
      </span>
    </li>
  );
}

function activityLabel({ kind, direction, counterparty: other }: ActivityItem): string {
  if (other === null) return "Contract deployed";
  if (kind === "call") return direction === "in" ? "Called by" : "Contract interaction";
  if (direction === "self") return "Sent to self";
  return direction === "out" ? "Sent to" : "Received from";
}

function renderAmount(item: ActivityItem, unit: TokenUnit | undefined, language: string) {
  if (item.kind === "nft") {
    return (
      <>
        {item.amount > 1n && `${item.amount} × `}NFT <bdi>#{item.tokenId?.slice(0, 12)}</bdi>
      </>
    );
  }
  const { symbol, decimals } = item.kind === "native" ? item.chain.nativeCurrency : (unit ?? SMALLEST_UNIT);
  return (
    <>
      {formatAmount(item.amount, decimals, language)} <bdi className="soft">{symbol.slice(0, 16)}</bdi>
    </>
  );
}

/** The unit of tokens without decimals. */
const SMALLEST_UNIT: TokenUnit = { symbol: "units", decimals: 0 };

function exactAmountOf(item: ActivityItem, unit: TokenUnit | undefined): string {
  if (item.kind === "nft") return `#${item.tokenId}`;
  const { symbol, decimals } = item.kind === "native" ? item.chain.nativeCurrency : (unit ?? SMALLEST_UNIT);
  return `${exactAmount(item.amount, decimals)} ${symbol}`;
}
