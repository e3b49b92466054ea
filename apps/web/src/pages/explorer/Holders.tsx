import { type Erc20Metadata, type Erc20Transfer, Web3API } from "@purse/client";
import { EmptyState, QueryState, Table, useTranslation } from "@purse/ui";
import { AddressLink, Amount } from "./components.tsx";
import { HISTORY_TIMEOUT_MS, readAllPages, useDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { ExportButton } from "./ExportButton.tsx";
import { holdersOf } from "./flows.ts";

/** Holders are computed from at most this many transfers. */
const MAX_TRANSFERS = 2_000;
const MAX_HOLDERS = 100;

/** Holders computed from all transfers. With an incomplete index no holders are shown rather than wrong ones. */
export function Holders({ address, token }: { address: string; token: Erc20Metadata }) {
  const { t, language } = useTranslation();
  const { chain, start } = useExplorer();
  const transfers = useDataQuery(transfersOf, { chain: chain.hexId, address }, true, {
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  return (
    <QueryState query={transfers} label={t("Loading holders")} skeleton={renderTable(undefined)}>
      {renderTable}
    </QueryState>
  );

  function renderTable(data: Erc20Transfer[] | undefined) {
    if ((data && data.length > MAX_TRANSFERS) || (start ?? 0) > 0) {
      return (
        <div className="card">
          <EmptyState title={t("Holders unavailable")}>
            {(start ?? 0) > 0
              ? t(
                  "This server does not index the chain from its first block, so holders would be incomplete.",
                )
              : t("This token has more than {n, number} transfers, too many to compute holders here.", {
                  n: MAX_TRANSFERS,
                })}
          </EmptyState>
        </div>
      );
    }
    const holders = data ? holdersOf(data) : undefined;
    const supply = holders?.reduce((sum, { balance }) => sum + balance, 0n) ?? 0n;
    return (
      <section className="card stack tight" aria-label={t("Holders")}>
        {holders && (
          <div className="row spread">
            <p className="soft small">
              {t("{n, plural, one {# holder} other {# holders}}", { n: holders.length })} ·{" "}
              {t("computed from transfers; actual balances may differ for rebasing tokens")}
            </p>
            <ExportButton
              name={`holders-${address}`}
              columns={["holder", "balance_smallest_unit"]}
              rows={async () => holders.map(({ address, balance }) => [address, String(balance)])}
            />
          </div>
        )}
        <Table
          caption={t("Holders")}
          rows={holders?.slice(0, MAX_HOLDERS)}
          rowKey={({ address }) => address}
          empty={<EmptyState title={t("No holders")} />}
          columns={[
            { label: t("Holder"), cell: ({ address }) => <AddressLink address={address} /> },
            {
              label: t("Amount"),
              number: true,
              cell: ({ balance }) => (
                <Amount value={balance} decimals={Number(token.decimals)} unit={token.symbol} />
              ),
            },
            {
              label: t("Share"),
              number: true,
              cell: ({ balance }) =>
                (Number((balance * 1_000_000n) / (supply || 1n)) / 1_000_000).toLocaleString(language, {
                  style: "percent",
                  maximumFractionDigits: 2,
                }),
            },
          ]}
        />
      </section>
    );
  }
}

function transfersOf(
  { chain, address }: { chain: string; address: string },
  options?: { signal?: AbortSignal },
) {
  return readAllPages(
    (after) =>
      Web3API.token.getTokenAddressTransfers(
        { chain, address, limit: 500, ...(after && { cursor: after }) },
        options,
      ),
    MAX_TRANSFERS + 1,
  );
}
