import { Detail, FailedRead, isNotFound, isUnavailable, Skeleton, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Amount } from "./Amount.tsx";
import { getPairAddress, getPairReserves } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** The exchange whose pools of two tokens can be found by the tokens. */
const EXCHANGE = "uniswapv2";

/**
 * The pool of a token (lower-case hex) with the wrapped native coin, with its reserves. A token without one may still
 * have a price from another exchange.
 */
export function TokenPool({ address }: { address: string }) {
  const { t } = useTranslation();
  const { hexId, wrappedNative } = useExplorer().chain;
  const quote = wrappedNative?.toLowerCase() ?? address;
  const pool = useDataQuery(readPool, { chain: hexId, base: address, quote }, quote !== address);
  if (quote === address) return null;
  const { data, error } = pool;
  return (
    <Detail label={t("Pool")}>
      {data ? (
        <>
          <Link to="/explorer/pair/$a/$b" params={{ a: address, b: quote }}>
            <bdi>{data.map(({ symbol }) => symbol.slice(0, 20)).join(" / ")}</bdi>
          </Link>{" "}
          <span className="soft">
            {data.map(({ address: token, symbol, decimals, reserve }, i) => (
              <span key={token}>
                {i > 0 && " + "}
                <Amount value={reserve} decimals={decimals} unit={symbol.slice(0, 20)} />
              </span>
            ))}
          </span>
        </>
      ) : error === null ? (
        <Skeleton width="10rem" />
      ) : isNotFound(error) || isUnavailable(error) ? (
        "–"
      ) : (
        <FailedRead query={pool}>{t("Pool could not be loaded")}</FailedRead>
      )}
    </Detail>
  );
}

interface PooledToken {
  address: string;
  symbol: string;
  decimals: number;
  /** In the smallest unit. */
  reserve: string;
}

/** Reads the tokens of a pool with their reserves, `base` first. */
async function readPool(
  { chain, base, quote }: { chain: string; base: string; quote: string },
  options?: { signal?: AbortSignal },
): Promise<PooledToken[]> {
  const tokens = { token0_address: base, token1_address: quote };
  const pair = await getPairAddress({ chain, exchange: EXCHANGE, ...tokens }, options);
  const { reserve0, reserve1 } = await getPairReserves({ chain, pair_address: pair.pairAddress }, options);
  const pooled = [
    { ...pair.token0, reserve: reserve0 },
    { ...pair.token1, reserve: reserve1 },
  ].map(({ address, symbol, decimals, reserve }) => ({
    address,
    symbol,
    decimals: Number(decimals),
    reserve,
  }));
  return pooled[0]?.address.toLowerCase() === base ? pooled : pooled.reverse();
}
