import type { StudioChain } from "@purse/server/studio-api";
import { EmptyState, formatNumber, Status, type StatusKind, Table, useTranslation } from "@purse/ui";
import { chainLabel } from "../../components/chainLabel.ts";

const STATUS_KIND: Record<StudioChain["state"], StatusKind> = {
  following: "ok",
  syncing: "busy",
  stalled: "warning",
  unreachable: "warning",
  refused: "danger",
  stopped: "danger",
};

export function ChainState({
  state,
  isDatabaseUnavailable,
}: Pick<StudioChain, "state" | "isDatabaseUnavailable">) {
  const { t } = useTranslation();
  const label = {
    following: t("Synced"),
    syncing: t("Syncing"),
    stalled: t("No new blocks"),
    unreachable: isDatabaseUnavailable ? t("Index database unreachable") : t("Node unreachable"),
    refused: t("Node rejected"),
    stopped: t("Indexing stopped"),
  }[state];
  return <Status kind={STATUS_KIND[state]}>{label}</Status>;
}

/** Chains with their indexing progress. */
export function ChainTable({ chains }: { chains: readonly StudioChain[] }) {
  const { t, language } = useTranslation();
  const block = (value: number | null) => (value === null ? "–" : formatNumber(value, language));
  return (
    <Table
      caption={t("Chains")}
      rows={chains}
      rowKey={({ chain }) => String(chain)}
      empty={
        <EmptyState title={t("No chain configured")}>
          {t("Set an RPC URL to index a chain, for example PURSE_CHAIN_ETH_RPC_URL for Ethereum.")}
        </EmptyState>
      }
      columns={[
        {
          label: t("Chain"),
          cell: ({ name, title, chain }) => (
            <span>
              {chainLabel({ name, title }, t)} <span className="soft small">{chain}</span>
            </span>
          ),
        },
        { label: t("Status"), cell: (chain) => <ChainState {...chain} /> },
        { label: t("Indexed"), number: true, cell: ({ indexed }) => block(indexed) },
        { label: t("Chain head"), number: true, cell: ({ head }) => block(head) },
        { label: t("Lag"), number: true, cell: ({ lag }) => block(lag) },
      ]}
    />
  );
}
