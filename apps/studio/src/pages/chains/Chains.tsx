import type { StudioChain } from "@purse/server/studio-api";
import {
  Detail,
  DetailList,
  EmptyState,
  formatDuration,
  formatNumber,
  formatPercent,
  QueryState,
  Status,
  type StatusKind,
  Table,
  useTranslation,
} from "@purse/ui";
import { CutText } from "../../components/cells.tsx";
import { chainLabel } from "../../components/chainLabel.ts";
import { Page, Section } from "../../components/Page.tsx";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { ChainState } from "./ChainTable.tsx";
import { Streams } from "./Streams.tsx";
import { WatchedAddresses } from "./WatchedAddresses.tsx";
import { Watches } from "./Watches.tsx";

const REFETCH_INTERVAL_MS = 3_000;

/** Indexed chains, their RPC nodes and listeners. */
export function Chains() {
  const { t } = useTranslation();
  const chains = useStudioQuery("/chains", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Page
      title={t("Chains")}
      description={t("Indexed chains, their RPC nodes and event listeners")}
      editRole="editor"
    >
      <QueryState query={chains} label={t("Loading chains…")}>
        {({ results }) =>
          results.length === 0 ? (
            <EmptyState title={t("No chain configured")}>
              {t("Set an RPC URL to index a chain, for example PURSE_CHAIN_ETH_RPC_URL for Ethereum.")}
            </EmptyState>
          ) : (
            <>
              {results.map((chain) => (
                <ChainSection key={chain.chain} chain={chain} />
              ))}
              <Watches chains={results} />
              <Streams />
            </>
          )
        }
      </QueryState>
    </Page>
  );
}

function ChainSection({ chain }: { chain: StudioChain }) {
  const { t, language } = useTranslation();
  const block = (value: number | null) => (value === null ? t("unknown") : formatNumber(value, language));
  const { percent, etaSeconds, lag } = chain;
  return (
    <Section
      title={t("{name}, chain {id}", { name: chainLabel(chain, t), id: String(chain.chain) })}
      actions={<ChainState {...chain} />}
    >
      {chain.error !== undefined && (
        <p>
          <bdi>{chain.error}</bdi>
        </p>
      )}
      <div className="stack tight">
        <div
          className="progress"
          role="progressbar"
          aria-label={t("Indexing progress of {name}", { name: chainLabel(chain, t) })}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(percent !== null && { "aria-valuenow": Math.floor(percent) })}
        >
          <span className="progress-fill" style={{ width: `${percent ?? 0}%` }} />
        </div>
        <p className="number">
          {percent === null
            ? t("Waiting for the chain head…")
            : t("{percent} indexed", { percent: formatPercent(percent / 100, language, 1) })}
          {etaSeconds !== null &&
            etaSeconds > 0 &&
            lag !== 0 &&
            ` · ${t("about {time} left", { time: formatDuration(etaSeconds * 1_000, language, "long") })}`}
          {chain.blocksPerSecond > 0 &&
            ` · ${t("{n, plural, one {# block/s} other {# blocks/s}}", { n: chain.blocksPerSecond })}`}
        </p>
      </div>
      <DetailList className="facts number">
        <Detail label={t("Index scope")}>
          {chain.scope === "chain"
            ? t("Full chain: all transactions and logs since block {start, number}", { start: chain.start })
            : t("Token activity of indexed wallets since block {start, number}", { start: chain.start })}
        </Detail>
        <Detail label={t("Chain head")}>{block(chain.head)}</Detail>
        <Detail label={t("Indexed up to")}>
          {block(chain.indexed)}
          {lag !== null && lag > 0 && (
            <span className="soft"> {t("({n, number} blocks behind)", { n: lag })}</span>
          )}
        </Detail>
        {chain.rebuild && (
          <Detail label={t("New index")}>
            {chain.rebuild.percent === null
              ? t("Waiting for the chain head…")
              : t("{percent} indexed", { percent: formatPercent(chain.rebuild.percent / 100, language, 1) })}
            {chain.rebuild.error !== undefined && (
              <>
                {" · "}
                <bdi>{chain.rebuild.error}</bdi>
              </>
            )}
          </Detail>
        )}
        <Detail label={t("Safe, finalized")}>
          {block(chain.safe)}, {block(chain.finalized)}
        </Detail>
      </DetailList>
      <h3>{t("Nodes")}</h3>
      <Nodes nodes={chain.nodes} />
      {chain.scope === "wallets" && <WatchedAddresses chain={chain} />}
    </Section>
  );
}

const STATUS_KIND: Record<StudioChain["nodes"][number]["state"], StatusKind> = {
  well: "ok",
  behind: "warning",
  failing: "danger",
  refused: "danger",
  unused: "idle",
};

function Nodes({ nodes }: Pick<StudioChain, "nodes">) {
  const { t, language } = useTranslation();
  const labels = {
    well: t("Healthy"),
    behind: t("Behind"),
    failing: t("Failing"),
    refused: t("Rejected"),
    unused: t("Idle"),
  };
  return (
    <Table
      caption={t("Nodes")}
      rows={nodes.map((node, at) => ({ ...node, at }))}
      rowKey={({ host, at }) => `${at} ${host}`}
      empty={<p className="soft">{t("No node has been queried yet.")}</p>}
      columns={[
        { label: t("Node"), cell: ({ host }) => <code>{host}</code> },
        {
          label: t("Status"),
          cell: ({ state }) => <Status kind={STATUS_KIND[state]}>{labels[state]}</Status>,
        },
        {
          label: t("Latency"),
          number: true,
          cell: ({ latencyMs }) => (latencyMs === undefined ? "–" : formatDuration(latencyMs, language)),
        },
        { label: t("Last error"), cell: ({ error = "" }) => <CutText text={error} /> },
      ]}
    />
  );
}
