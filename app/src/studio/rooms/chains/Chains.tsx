import { Status, type StatusKind } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { type Chain, ChainState, type ChainsAnswer } from "./ChainTable.tsx";
import { WatchedAddresses } from "./WatchedAddresses.tsx";
import { Watches } from "./Watches.tsx";

const EVERY_MS = 3_000;

/** The chains that are followed: their nodes, how far the index is, what is watched. */
export function Chains() {
  const { t } = useTranslation();
  const chains = useAnswer<ChainsAnswer>("/chains", { every: EVERY_MS });
  return (
    <Room
      title={t("Chains")}
      about={t("Which chains the server follows, how their nodes do, and what becomes objects.")}
      changes="editor"
    >
      <Answered answer={chains} label={t("Loading the chains")}>
        {({ results }) =>
          results.length === 0 ? (
            <EmptyState title={t("No chain is followed")}>
              {t("PURSE_CHAIN_ETH_RPC_URL, for example, names a node of Ethereum.")}
            </EmptyState>
          ) : (
            <>
              {results.map((chain) => (
                <Followed key={chain.chain} chain={chain} />
              ))}
              <Watches chains={results} />
            </>
          )
        }
      </Answered>
    </Room>
  );
}

function Followed({ chain }: { chain: Chain }) {
  const { t, count, language } = useTranslation();
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const block = (value: number | null) => (value === null ? t("not known") : number.format(value));
  const { percent, etaSeconds, lag } = chain;
  return (
    <Section
      title={t("{name}, chain {id}", { name: chain.name, id: String(chain.chain) })}
      actions={<ChainState state={chain.state} />}
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
          aria-label={t("Indexed of {name}", { name: chain.name })}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(percent !== null && { "aria-valuenow": Math.floor(percent) })}
        >
          <span className="portion" style={{ width: `${percent ?? 0}%` }} />
        </div>
        <p className="number">
          {percent === null
            ? t("The head of the chain is not known yet.")
            : t("{percent} % indexed", { percent: number.format(percent) })}
          {etaSeconds !== null &&
            lag !== 0 &&
            ` · ${t("about {time} left", { time: duration(etaSeconds, language) })}`}
          {chain.blocksPerSecond > 0 &&
            ` · ${count(chain.blocksPerSecond, "{n} block a second", "{n} blocks a second")}`}
        </p>
      </div>
      <dl className="facts number">
        <dt>{t("Index holds")}</dt>
        <dd>
          {chain.scope === "chain"
            ? t("Everything: all transactions and logs from block {start} on", { start: chain.start })
            : t("What known wallets do with tokens, from block {start} on", { start: chain.start })}
        </dd>
        <dt>{t("Head of the chain")}</dt>
        <dd>{block(chain.head)}</dd>
        <dt>{t("Indexed to")}</dt>
        <dd>
          {block(chain.indexed)}
          {lag !== null && lag > 0 && <span className="soft"> {t("({n} behind)", { n: lag })}</span>}
        </dd>
        <dt>{t("Safe, final")}</dt>
        <dd>
          {block(chain.safe)}, {block(chain.finalized)}
        </dd>
      </dl>
      <h3>{t("Nodes")}</h3>
      <Nodes nodes={chain.nodes} />
      {chain.scope === "wallets" && <WatchedAddresses chain={chain} />}
    </Section>
  );
}

const KIND: Record<Chain["nodes"][number]["state"], StatusKind> = {
  well: "ok",
  failing: "danger",
  unused: "idle",
};

function Nodes({ nodes }: Pick<Chain, "nodes">) {
  const { t } = useTranslation();
  const said = { well: t("Answers"), failing: t("Fails"), unused: t("Not needed yet") };
  return (
    <Table
      caption={t("Nodes")}
      rows={nodes.map((node, at) => ({ ...node, at }))}
      rowKey={({ host, at }) => `${at} ${host}`}
      empty={<p className="soft">{t("No node has been asked yet.")}</p>}
      columns={[
        { key: "host", label: t("Node"), cell: ({ host }) => <code>{host}</code> },
        {
          key: "state",
          label: t("State"),
          cell: ({ state }) => <Status kind={KIND[state]}>{said[state]}</Status>,
        },
        {
          key: "latency",
          label: t("Last answer after"),
          number: true,
          cell: ({ latencyMs }) => (latencyMs === undefined ? "–" : `${Math.round(latencyMs)} ms`),
        },
        {
          key: "error",
          label: t("What it said"),
          cell: ({ error = "" }) => (
            <bdi className="cut" title={error}>
              {error}
            </bdi>
          ),
        },
      ]}
    />
  );
}

function duration(seconds: number, language: string): string {
  const [value, unit] =
    seconds < 90
      ? [seconds, "second"]
      : seconds < 5_400
        ? [seconds / 60, "minute"]
        : seconds < 129_600
          ? [seconds / 3_600, "hour"]
          : [seconds / 86_400, "day"];
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 0,
  }).format(value);
}
