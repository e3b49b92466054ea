import type { Block } from "@purse/client";
import {
  Button,
  DateField,
  EmptyState,
  ErrorState,
  formatDate,
  formatNumber,
  type QueryResult,
  QueryState,
  RelativeTime,
  Skeleton,
  Table,
  useTranslation,
} from "@purse/ui";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { chainName } from "../../settings.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { ChainStatus } from "../home/ChainStatus.tsx";
import type { ServerStatus } from "../home/useServerStatus.ts";
import { getBlocks, getDateToBlock } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink, BlockLink } from "./EntityLinks.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { GasUsage } from "./GasUsage.tsx";
import { latestBlocks } from "./latestBlocks.ts";
import { TransactionTable } from "./tables.tsx";
import { useNewKeys } from "./useNewKeys.ts";

const BLOCK_COUNT = 8;
const TRANSACTION_COUNT = 12;

/** The latest blocks and transactions, updated live. */
export function Overview() {
  const { t, language } = useTranslation();
  usePageTitle(t("Explorer"));
  const { chain, head, safe, final, server, state } = useExplorer();
  const readLatestBlocks = useMemo(() => latestBlocks(getBlocks), []);
  const blocks = useDataQuery(
    readLatestBlocks,
    { chain: chain.hexId, head: head ?? 0, count: BLOCK_COUNT, transactions: TRANSACTION_COUNT },
    head !== undefined,
    // Known blocks stay visible if newer ones fail to load.
    { keepPrevious: "always" },
  );
  const newBlocks = useNewKeys(blocks.data?.map(({ hash }) => hash));
  return (
    <div className="stack wide-gaps">
      <div className="page-head">
        <h1>{t("Explorer")}</h1>
        <span className="row tight-row">
          {chainName(chain, t)}
          <ChainStatus chain={state} server={server} />
        </span>
      </div>
      {head === undefined && server.state !== "connecting" ? (
        <NoHead />
      ) : (
        <>
          <QueryState query={headOf(server, head)} label={t("Loading latest block")} skeleton={renderStats()}>
            {renderStats}
          </QueryState>
          <QueryState query={blocks} label={t("Loading blocks")} skeleton={renderTables(undefined)}>
            {renderTables}
          </QueryState>
        </>
      )}
      <DateToBlock />
    </div>
  );

  function renderStats() {
    return (
      <dl className="card figures" aria-label={t("Latest block")}>
        <Stat label={t("Latest block")} block={head} isLoading={head === undefined} />
        <Stat label={t("Safe")} block={safe} isLoading={head === undefined} />
        <Stat label={t("Finalized")} block={final} isLoading={head === undefined} />
      </dl>
    );
  }

  function renderTables(blocks: readonly Block[] | undefined) {
    const transactions = blocks
      ?.flatMap((block) => [...block.transactions].reverse())
      .slice(0, TRANSACTION_COUNT);
    return (
      <>
        <section className="card stack tight" aria-labelledby="latest-blocks">
          <h2 id="latest-blocks">{t("Latest blocks")}</h2>
          <Table
            caption={t("Latest blocks")}
            rows={blocks?.slice(0, BLOCK_COUNT)}
            rowKey={({ hash }) => hash}
            isNew={({ hash }) => newBlocks.has(hash)}
            empty={<EmptyState title={t("No blocks yet")} />}
            columns={[
              { label: t("Block"), cell: ({ number }) => <BlockLink block={number} /> },
              { label: t("Age"), cell: ({ timestamp }) => <RelativeTime at={timestamp} /> },
              {
                label: t("Transactions"),
                number: true,
                cell: ({ transaction_count }) => formatNumber(Number(transaction_count), language),
              },
              {
                label: t("Gas used"),
                number: true,
                cell: ({ gas_used, gas_limit }) =>
                  gas_used && gas_limit && <GasUsage used={gas_used} limit={gas_limit} />,
              },
              {
                label: t("Fee recipient"),
                hideOnPhone: true,
                cell: ({ miner }) => miner && <AddressLink address={miner} />,
              },
            ]}
          />
        </section>
        <section className="card stack tight" aria-labelledby="latest-transactions">
          <h2 id="latest-transactions">{t("Latest transactions")}</h2>
          <TransactionTable
            rows={transactions}
            isNew={({ block_hash }) => newBlocks.has(block_hash)}
            empty={
              <EmptyState title={t("No recent transactions")}>{t("The latest blocks are empty.")}</EmptyState>
            }
          />
        </section>
      </>
    );
  }
}

/** No block is known: the server is unreachable, or no node has responded yet. */
function NoHead() {
  const { t } = useTranslation();
  const { server } = useExplorer();
  if (server.state === "unreachable") return <ErrorState error={NETWORK_ERROR} retry={server.refetch} />;
  return (
    <div className="card">
      <EmptyState title={t("No blocks yet")}>
        {t("No node of this chain has responded yet. This page updates automatically.")}
      </EmptyState>
    </div>
  );
}

/** The error of the client's failed requests. */
const NETWORK_ERROR = { code: 100, message: "The server did not respond." };

/** The head as a query result; it is part of the server status. */
function headOf(server: ServerStatus, head: number | undefined): QueryResult<number> {
  return {
    data: head,
    error: server.state === "unreachable" ? NETWORK_ERROR : null,
    isFetching: false,
    dataUpdatedAt: server.updatedAt,
    refetch: server.refetch,
  };
}

function Stat({ label, block, isLoading }: { label: string; block: number | undefined; isLoading: boolean }) {
  return (
    <div>
      <dt className="small soft">{label}</dt>
      <dd className="figure">
        {block !== undefined ? <BlockLink block={block} /> : isLoading ? <Skeleton width="5rem" /> : "–"}
      </dd>
    </div>
  );
}

/** Finds the latest block at a date. */
function DateToBlock() {
  const { t, language } = useTranslation();
  const { chain } = useExplorer();
  const { date } = useSearch({ from: "/explorer/" });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(date ?? "");
  const [problem, setProblem] = useState<string>();
  const isValidDate = date !== undefined && !Number.isNaN(Date.parse(date));
  const { data, error, isFetching, refetch } = useDataQuery(
    getDateToBlock,
    { chain: chain.hexId, date: isValidDate ? new Date(date).toISOString() : "" },
    isValidDate,
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    if (Number.isNaN(Date.parse(typed))) setProblem(t("Enter a date and time."));
    else {
      setProblem(undefined);
      void navigate({ to: "/explorer", search: { date: typed }, replace: true, resetScroll: false });
    }
  }
  return (
    <section className="card stack" aria-labelledby="date-to-block">
      <h2 id="date-to-block">{t("Find block by date")}</h2>
      <form onSubmit={submit} noValidate>
        <DateField
          label={t("Local date and time")}
          step={1}
          value={typed}
          problem={problem}
          onText={setTyped}
          after={
            <Button type="submit" busy={isFetching}>
              {t("Find block")}
            </Button>
          }
        />
      </form>
      <div role="status">
        {isValidDate && data && (
          <p>
            {t("Nearest block:")} <BlockLink block={data.block} />,{" "}
            <span className="number">{formatDate(data.timestamp * 1000, language, "long")}</span>
          </p>
        )}
      </div>
      {isValidDate && error !== null && (
        <ErrorState error={error} retry={() => void refetch()} busy={isFetching} />
      )}
    </section>
  );
}
