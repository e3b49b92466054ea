import { Web3API } from "@purse/client";
import { EmptyState, QueryState, RelativeTime, Status, Table, useTranslation } from "@purse/ui";
import { useMemo } from "react";
import type { AbiFunction } from "viem";
import { toFunctionSelector } from "viem/utils";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";
import { ExplorerLink } from "../../wallet/ExplorerLink.tsx";
import { NamedAddress } from "../../wallet/NamedAddress.tsx";

const COUNT = 10;

export interface WriteHistoryProps {
  chain: AppChain;
  address: string;
  writes: readonly AbiFunction[];
}

/** The latest transactions that called a contract, with the names of the functions. */
export function WriteHistory({ chain, address, writes }: WriteHistoryProps) {
  const { t } = useTranslation();
  const names = useMemo(
    () => new Map<string, string>(writes.map((item) => [toFunctionSelector(item), item.name])),
    [writes],
  );
  const calls = useServerQuery({
    queryKey: ["contract calls", chain.hexId, address],
    queryFn: (options) =>
      Web3API.account.getTransactions({ chain: chain.hexId, address, limit: COUNT }, options),
  });
  return (
    <section className="card stack" aria-labelledby="writes">
      <h2 id="writes">{t("Latest calls")}</h2>
      <QueryState query={calls} label={t("Loading calls")}>
        {({ result }) => (
          <Table
            caption={t("Latest calls")}
            rows={result.filter(({ to_address }) => to_address === address)}
            rowKey={({ hash }) => hash}
            empty={<EmptyState title={t("No calls yet")} />}
            columns={[
              {
                label: t("Function"),
                cell: ({ input, receipt_status }) => (
                  <span className="row tight-row">
                    <bdi className="strong">
                      {names.get(input.slice(0, 10)) ??
                        (input.length < 10 ? t("Transfer") : input.slice(0, 10))}
                    </bdi>
                    {receipt_status === "0" && <Status kind="danger">{t("failed")}</Status>}
                  </span>
                ),
              },
              {
                label: t("From"),
                cell: ({ from_address }) => <NamedAddress address={from_address} chain={chain.hexId} />,
              },
              {
                label: t("Age"),
                cell: ({ hash, block_timestamp }) => (
                  <ExplorerLink kind="tx" id={hash} chain={chain.hexId}>
                    <RelativeTime at={block_timestamp} />
                  </ExplorerLink>
                ),
              },
            ]}
          />
        )}
      </QueryState>
    </section>
  );
}
