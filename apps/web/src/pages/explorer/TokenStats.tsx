import {
  Detail,
  FailedRead,
  formatNumber,
  isNotFound,
  isUnavailable,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import { Amount } from "./Amount.tsx";
import { getTokenPrice, getTokenStats } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink, BlockLink } from "./EntityLinks.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { TokenPool } from "./TokenPool.tsx";

/** Details of a token: its supply, holders, transfers and creation. */
export function TokenStats({ address, decimals }: { address: string; decimals: number }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const stats = useDataQuery(getTokenStats, { chain: chain.hexId, address });
  const { data, error } = stats;
  const price = useDataQuery(getTokenPrice, { chain: chain.hexId, address });
  if (!data && (isNotFound(error) || isUnavailable(error))) return null;
  if (!data && error !== null) {
    return (
      <Detail label={t("Statistics")}>
        <FailedRead query={stats}>{t("Statistics could not be loaded")}</FailedRead>
      </Detail>
    );
  }
  const creation = data?.creation_block_number;
  return (
    <>
      <Detail label={t("Total supply")}>
        {data ? <Amount value={data.total_supply} decimals={decimals} /> : <Skeleton width="8rem" />}
        {data?.calculated_from_transfers && (
          <span className="soft"> {t("differs from minted minus burned amounts")}</span>
        )}
      </Detail>
      <Detail label={t("Market cap")}>
        {!data || (!price.data && price.error === null) ? (
          <Skeleton width="6rem" />
        ) : price.data && price.data.usdPrice > 0 ? (
          <span className="number">
            {formatFiat(fiatValue(BigInt(data.total_supply), decimals, price.data.usdPrice), language)}
          </span>
        ) : (
          "–"
        )}
      </Detail>
      <TokenPool address={address} />
      <Detail label={t("Holders")}>
        {data ? (
          <span className="number">{formatNumber(data.holders.total, language)}</span>
        ) : (
          <Skeleton width="4rem" />
        )}
      </Detail>
      <Detail label={t("Transfers")}>
        {data ? (
          <span className="number">{formatNumber(data.transfers.total, language)}</span>
        ) : (
          <Skeleton width="4rem" />
        )}
      </Detail>
      {(!data || data.creator_address) && (
        <Detail label={t("Created by")}>
          {data?.creator_address ? <AddressLink address={data.creator_address} /> : <Skeleton width="8rem" />}{" "}
          {creation && (
            <span className="soft">
              {t("in block")} <BlockLink block={creation} />
            </span>
          )}
        </Detail>
      )}
    </>
  );
}
