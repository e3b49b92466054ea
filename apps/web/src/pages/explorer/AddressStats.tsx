import {
  Detail,
  DetailList,
  FailedRead,
  formatNumber,
  isUnavailable,
  RelativeTime,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { AddressValue } from "./AddressValue.tsx";
import { getWalletActiveChains, getWalletStats } from "./dataApi.ts";
import { useDataQuery, useLiveDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";

/** How much an address did and has, and when it was active. Absent if the server does not index the whole chain. */
export function AddressStats({ address }: { address: string }) {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const stats = useLiveDataQuery(getWalletStats, { chain: chain.hexId, address });
  const activity = useDataQuery(getWalletActiveChains, { address, chains: [chain.hexId] });
  if (!stats.data && isUnavailable(stats.error)) return null;
  const count = (total: string | undefined) =>
    total === undefined ? (
      <Skeleton width="3rem" />
    ) : (
      <span className="number">{formatNumber(Number(total), language)}</span>
    );
  const [active] = activity.data?.active_chains ?? [];
  const isLoading = activity.data === undefined && activity.error === null;
  return (
    <div>
      <DetailList className="explorer-facts">
        <AddressValue address={address} />
        {(stats.data || !stats.error) && (
          <>
            <Detail label={t("Transactions")}>{count(stats.data?.transactions.total)}</Detail>
            <Detail label={t("Token transfers")}>{count(stats.data?.token_transfers.total)}</Detail>
            <Detail label={t("NFT transfers")}>{count(stats.data?.nft_transfers.total)}</Detail>
            <Detail label={t("NFTs")}>
              {count(stats.data?.nfts)}
              {stats.data && Number(stats.data.collections) > 0 && (
                <span className="soft">
                  {" "}
                  {t("{n, plural, one {in # collection} other {in # collections}}", {
                    n: Number(stats.data.collections),
                  })}
                </span>
              )}
            </Detail>
          </>
        )}
        {(isLoading || active?.first_transaction) && (
          <Detail label={t("First transaction")}>
            {active?.first_transaction ? (
              <ActivityLink {...active.first_transaction} />
            ) : (
              <Skeleton width="6rem" />
            )}
          </Detail>
        )}
        {(isLoading || active?.last_transaction) && (
          <Detail label={t("Last transaction")}>
            {active?.last_transaction ? (
              <ActivityLink {...active.last_transaction} />
            ) : (
              <Skeleton width="6rem" />
            )}
          </Detail>
        )}
      </DetailList>
      <FailedRead query={stats}>{t("Statistics could not be loaded")}</FailedRead>
      {!isUnavailable(activity.error) && (
        <FailedRead query={activity}>{t("First and last transaction could not be loaded")}</FailedRead>
      )}
    </div>
  );
}

function ActivityLink({ transaction_hash: hash, block_timestamp: at }: ActivityLinkProps) {
  return (
    <Link to="/explorer/tx/$hash" params={{ hash }}>
      <RelativeTime at={at} />
    </Link>
  );
}

interface ActivityLinkProps {
  transaction_hash: string;
  block_timestamp: string;
}
