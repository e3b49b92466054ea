import { EmptyState, Status, type StatusKind, Table, useTranslation } from "@purse/ui";

/** A chain as returned by `GET /chains`; see docs/reference/data-api.md. */
export interface Chain {
  chain: number;
  name: string;
  scope: "chain" | "wallets";
  state: "syncing" | "following" | "unreachable" | "refused" | "stopped";
  start: number;
  head: number | null;
  safe: number | null;
  finalized: number | null;
  indexed: number | null;
  lag: number | null;
  percent: number | null;
  blocksPerSecond: number;
  etaSeconds: number | null;
  nodes: { host: string; state: "unused" | "well" | "failing"; latencyMs?: number; error?: string }[];
  error?: string;
}

export interface ChainsResponse {
  results: Chain[];
}

const STATUS_KIND: Record<Chain["state"], StatusKind> = {
  following: "ok",
  syncing: "busy",
  unreachable: "warning",
  refused: "danger",
  stopped: "danger",
};

export function ChainState({ state }: Pick<Chain, "state">) {
  const { t } = useTranslation();
  const label = {
    following: t("Synced"),
    syncing: t("Syncing"),
    unreachable: t("Node unreachable"),
    refused: t("Node rejected"),
    stopped: t("Indexing stopped"),
  }[state];
  return <Status kind={STATUS_KIND[state]}>{label}</Status>;
}

/** Chains with their indexing progress. */
export function ChainTable({ chains }: { chains: readonly Chain[] }) {
  const { t, language } = useTranslation();
  const number = new Intl.NumberFormat(language);
  const block = (value: number | null) => (value === null ? "–" : number.format(value));
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
          cell: ({ name, chain }) => (
            <span>
              {name} <span className="soft small">{chain}</span>
            </span>
          ),
        },
        { label: t("Status"), cell: ({ state }) => <ChainState state={state} /> },
        { label: t("Indexed"), number: true, cell: ({ indexed }) => block(indexed) },
        { label: t("Chain head"), number: true, cell: ({ head }) => block(head) },
        { label: t("Lag"), number: true, cell: ({ lag }) => block(lag) },
      ]}
    />
  );
}
