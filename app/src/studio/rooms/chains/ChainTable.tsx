import { Status, type StatusKind } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";

/** As `GET /chains` tells it; what of it is what, docs/data-service.md says. */
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

export interface ChainsAnswer {
  results: Chain[];
}

const KIND: Record<Chain["state"], StatusKind> = {
  following: "ok",
  syncing: "busy",
  unreachable: "warning",
  refused: "danger",
  stopped: "danger",
};

export function ChainState({ state }: Pick<Chain, "state">) {
  const { t } = useTranslation();
  const said = {
    following: t("At the head"),
    syncing: t("Catching up"),
    unreachable: t("No node answers"),
    refused: t("The node is refused"),
    stopped: t("Indexing stopped"),
  }[state];
  return <Status kind={KIND[state]}>{said}</Status>;
}

/** Chains with how far they are indexed. */
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
        <EmptyState title={t("No chain is followed")}>
          {t(
            "PURSE_CHAIN_ETH_RPC_URL, for example, names a node of Ethereum: with it the server follows the chain.",
          )}
        </EmptyState>
      }
      columns={[
        {
          key: "name",
          label: t("Chain"),
          cell: ({ name, chain }) => (
            <span>
              {name} <span className="soft small">{chain}</span>
            </span>
          ),
        },
        { key: "state", label: t("State"), cell: ({ state }) => <ChainState state={state} /> },
        { key: "indexed", label: t("Indexed"), number: true, cell: ({ indexed }) => block(indexed) },
        { key: "head", label: t("Head"), number: true, cell: ({ head }) => block(head) },
        { key: "lag", label: t("Behind"), number: true, cell: ({ lag }) => block(lag) },
      ]}
    />
  );
}
