import type { InternalTransaction } from "@purse/client";
import {
  EmptyState,
  formatNumber,
  IconButton,
  isUnavailable,
  QueryState,
  Status,
  Table,
  useTranslation,
} from "@purse/ui";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { CoinAmount } from "./Amount.tsx";
import { getInternalTransactions } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { AddressLink } from "./EntityLinks.tsx";
import { useExplorer } from "./ExplorerContext.ts";
import { MethodChip } from "./MethodChip.tsx";
import { hasInnerCalls, visibleCalls } from "./visibleCalls.ts";

const MAX_CALLS = 500;
/** Deeper calls are indented like those of this depth. */
const MAX_INDENT = 8;

/** The calls between contracts in a transaction as a tree, if a node of the server traces. */
export function InternalCalls({ hash }: { hash: string }) {
  const { t } = useTranslation();
  const { chain } = useExplorer();
  const calls = useDataQuery(getInternalTransactions, { chain: chain.hexId, transaction_hash: hash });
  return (
    <section className="card stack tight">
      <QueryState
        query={calls}
        label={t("Loading internal calls")}
        skeleton={<CallTable calls={undefined} />}
        renderError={(error) =>
          isUnavailable(error) ? (
            <EmptyState title={t("Tracing not supported")}>
              {t("The node doesn't support debug_traceTransaction, so internal calls are unavailable.")}
            </EmptyState>
          ) : undefined
        }
      >
        {(data) => <CallTable calls={data} />}
      </QueryState>
    </section>
  );
}

function CallTable({ calls }: { calls: readonly InternalTransaction[] | undefined }) {
  const { t, language } = useTranslation();
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set());
  const toggle = (index: number) => {
    const next = new Set(collapsed);
    if (!next.delete(index)) next.add(index);
    setCollapsed(next);
  };
  const shown = calls?.slice(0, MAX_CALLS);
  const rows =
    shown &&
    visibleCalls(shown, collapsed).flatMap((index) => {
      const call = shown[index];
      return call ? [{ ...call, index, isParent: hasInnerCalls(shown, index) }] : [];
    });
  return (
    <>
      <Table
        caption={t("Internal calls")}
        rows={rows}
        rowKey={({ index }) => String(index)}
        empty={
          <EmptyState title={t("No internal calls")}>
            {t("This transaction made no internal calls.")}
          </EmptyState>
        }
        columns={[
          {
            label: t("Type"),
            cell: ({ type, depth, error, index, isParent }) => (
              <span
                className="row tight-row call-depth"
                style={{ paddingInlineStart: `${Math.min(depth, MAX_INDENT) * 1.25}rem` }}
              >
                {isParent ? (
                  <IconButton
                    label={collapsed.has(index) ? t("Show inner calls") : t("Hide inner calls")}
                    icon={collapsed.has(index) ? ChevronRight : ChevronDown}
                    aria-expanded={!collapsed.has(index)}
                    onClick={() => toggle(index)}
                  />
                ) : (
                  <span className="call-leaf" />
                )}
                <span className="call-marks soft" aria-hidden="true">
                  {"›".repeat(Math.min(depth, MAX_INDENT))}
                </span>
                <span className="mono small">{type.slice(0, 20)}</span>
                {depth > 0 && (
                  <span className="visually-hidden">{t("Depth {depth, number}", { depth })}</span>
                )}
                {error && <Status kind="danger">{error.slice(0, 80)}</Status>}
              </span>
            ),
          },
          {
            label: t("Method"),
            cell: ({ input, type }) => <MethodChip input={input} isCreation={type.startsWith("CREATE")} />,
          },
          { label: t("From"), cell: ({ from }) => <AddressLink address={from} /> },
          { label: t("To"), cell: ({ to }) => (to ? <AddressLink address={to} /> : "–") },
          {
            label: t("Value"),
            number: true,
            cell: ({ value }) => (value === "0" ? "–" : <CoinAmount wei={value} />),
          },
          {
            label: t("Gas used"),
            number: true,
            hideOnPhone: true,
            cell: ({ gas_used }) => formatNumber(Number(gas_used), language),
          },
        ]}
      />
      {calls && calls.length > MAX_CALLS && (
        <p className="small soft">
          {t("The first {max, number} of {n, number} calls", { max: MAX_CALLS, n: calls.length })}
        </p>
      )}
    </>
  );
}
