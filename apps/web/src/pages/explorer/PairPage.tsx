import type { Pair } from "@purse/client";
import {
  Address,
  Button,
  Detail,
  DetailList,
  EmptyState,
  Field,
  formatSignificant,
  QueryState,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { type FormEvent, useState } from "react";
import { usePageTitle } from "../../usePageTitle.ts";
import { checksumOf } from "../../wallet/checksum.ts";
import { Amount } from "./Amount.tsx";
import { isAddressText } from "./abi/addressText.ts";
import { getPairAddress, getPairReserves } from "./dataApi.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { TokenLink } from "./EntityLinks.tsx";
import { EntityPage, InvalidEntity } from "./EntityPage.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { PriceChart } from "./PriceChart.tsx";
import { HISTORY_TIMEOUT_MS, type RangeName, rangeOf, readHistory } from "./priceHistory.ts";

const DEFAULT_EXCHANGE = "uniswapv2";

export function PairPage() {
  const { a, b } = useParams({ from: "/explorer/pair/$a/$b" });
  const { exchange = DEFAULT_EXCHANGE } = useSearch({ from: "/explorer/pair/$a/$b" });
  const { t } = useTranslation();
  usePageTitle(t("Pair"));
  if (!isAddressText(a) || !isAddressText(b)) {
    return (
      <InvalidEntity heading={t("Pair")} title={t("Invalid pair")}>
        {t("A pair needs two token addresses, each 0x followed by 40 hex characters.")}
      </InvalidEntity>
    );
  }
  const [base, quote] = [a.toLowerCase(), b.toLowerCase()];
  return <PairDetails key={`${base}/${quote}/${exchange}`} base={base} quote={quote} exchange={exchange} />;
}

function PairDetails({ base, quote, exchange }: { base: string; quote: string; exchange: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const found = useDataQuery(getPairAddress, {
    chain: chain.hexId,
    token0_address: base,
    token1_address: quote,
    exchange,
  });
  const sides = found.data && sidesOf(found.data, base);
  return (
    <div className="stack wide-gaps">
      <EntityPage
        heading={
          sides ? (
            <>
              <bdi>{sides.base.symbol.slice(0, 20)}</bdi> / <bdi>{sides.quote.symbol.slice(0, 20)}</bdi>
            </>
          ) : (
            t("Pair")
          )
        }
        actions={
          <Link
            to="/explorer/pair/$a/$b"
            params={{ a: quote, b: base }}
            search={{ exchange }}
            className="button small"
          >
            <ArrowLeftRight size={16} aria-hidden="true" />
            {t("Invert")}
          </Link>
        }
        query={found}
        loadingLabel={t("Loading pair")}
        skeletonRows={5}
        notFound={
          <EmptyState title={t("Pair not found")}>
            {t("These tokens are not traded on this exchange.")}
          </EmptyState>
        }
        render={(pair) => <PairOverview pair={pair} base={base} />}
      />
      {/* Below what is found, so that it does not move; also if the exchange is unknown. */}
      {(found.data !== undefined || found.error !== null) && <ExchangeForm exchange={exchange} />}
    </div>
  );
}

/** The base and quote tokens of a pair. */
function sidesOf(pair: Pair, base: string) {
  const isFirst = pair.token0.address.toLowerCase() === base;
  return isFirst
    ? { isFirst, base: pair.token0, quote: pair.token1 }
    : { isFirst, base: pair.token1, quote: pair.token0 };
}

/** The price of one base token, computed from the reserves. */
function priceOf(
  pair: Pair,
  base: string,
  reserves: { reserve0: string; reserve1: string },
): number | undefined {
  const { isFirst } = sidesOf(pair, base);
  const first = Number(reserves.reserve0) / 10 ** Number(pair.token0.decimals);
  const second = Number(reserves.reserve1) / 10 ** Number(pair.token1.decimals);
  const price = isFirst ? second / first : first / second;
  return Number.isFinite(price) ? price : undefined;
}

function PairOverview({ pair, base: baseAddress }: { pair: Pair; base: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const range = rangeOf(useSearch({ from: "/explorer/pair/$a/$b" }).range);
  const { base, quote, isFirst } = sidesOf(pair, baseAddress);
  const reserves = useLiveDataQuery(getPairReserves, { chain: chain.hexId, pair_address: pair.pairAddress });
  const chart = useDataQuery(pairHistory, { chain: chain.hexId, pair, base: baseAddress, range }, true, {
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  return (
    <>
      <section className="card stack" aria-label={t("Pair")}>
        <QueryState
          query={reserves}
          label={t("Loading price")}
          skeleton={
            <p className="total number">
              <Skeleton width="12rem" height="1lh" />
            </p>
          }
        >
          {(amount) => {
            const price = priceOf(pair, baseAddress, amount);
            return (
              <p
                className="total number"
                title={price === undefined ? undefined : formatSignificant(price, language, 15)}
              >
                {price === undefined ? "–" : formatSignificant(price, language, 6)}{" "}
                <bdi>{quote.symbol.slice(0, 20)}</bdi>
              </p>
            );
          }}
        </QueryState>
        <Address address={checksumOf(pair.pairAddress)} copy />
        <DetailList className="explorer-facts">
          {[
            { token: base, amount: isFirst ? reserves.data?.reserve0 : reserves.data?.reserve1 },
            { token: quote, amount: isFirst ? reserves.data?.reserve1 : reserves.data?.reserve0 },
          ].map(({ token, amount }) => (
            <Detail key={token.address} label={t("Reserve")}>
              {amount !== undefined ? (
                <Amount value={amount} decimals={Number(token.decimals)} />
              ) : reserves.error === null ? (
                <Skeleton width="8rem" />
              ) : (
                "–"
              )}{" "}
              <TokenLink address={token.address} token={token} />
            </Detail>
          ))}
        </DetailList>
      </section>
      <section className="card stack" aria-labelledby="pair-chart">
        <h2 id="pair-chart">{t("Price history")}</h2>
        <PriceChart label={t("Price")} unit={quote.symbol.slice(0, 12)} points={chart} range={range} />
      </section>
    </>
  );
}

function pairHistory(
  { chain, pair, base, range }: { chain: string; pair: Pair; base: string; range: RangeName },
  options?: { signal?: AbortSignal },
) {
  return readHistory(
    { chain, range },
    async (block) => {
      const params = { chain, pair_address: pair.pairAddress, to_block: block };
      return priceOf(pair, base, await getPairReserves(params, options));
    },
    options,
  );
}

function ExchangeForm({ exchange }: { exchange: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/explorer/pair/$a/$b" });
  const [typed, setTyped] = useState(exchange);
  function submit(event: FormEvent) {
    event.preventDefault();
    const chosen = typed.trim() || undefined;
    void navigate({ search: { exchange: chosen }, replace: true });
  }
  return (
    <form onSubmit={submit} className="card">
      <Field
        label={t("Exchange")}
        hint={t("A name such as uniswapv2, or a factory address")}
        value={typed}
        onText={setTyped}
        isCode
        after={<Button type="submit">{t("Show")}</Button>}
      />
    </form>
  );
}
