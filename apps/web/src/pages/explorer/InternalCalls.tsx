import { EmptyState, isTransientError, QueryState, Status, Table, useTranslation } from "@purse/ui";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { AddressLink, CoinAmount, MethodChip } from "./components.tsx";
import { useRpcClient } from "./rpcClient.ts";
import { type InternalCall, traceTransaction } from "./trace.ts";
import { useNodeQuery } from "./useNodeQuery.ts";

/** The internal calls of a transaction, if a node supports tracing. */
export function InternalCalls({ hash }: { hash: string }) {
  const { t } = useTranslation();
  const node = useRpcClient();
  const trace = useNodeQuery(node, ["trace", hash], (client) => traceTransaction(client, hash));
  if (!trace) {
    return (
      <div className="card">
        <EmptyState title={t("No node available")} action={<ConnectWalletButton />}>
          {t("Internal calls require a tracing node. Connect a wallet on this chain to use its node.")}
        </EmptyState>
      </div>
    );
  }
  const renderTable = (calls: readonly InternalCall[] | undefined) => (
    <Table
      caption={t("Internal calls")}
      rows={calls}
      rowKey={({ key }) => key}
      empty={
        <EmptyState title={t("No internal calls")}>
          {t("This transaction made no internal calls.")}
        </EmptyState>
      }
      columns={[
        {
          label: t("Type"),
          cell: ({ type, depth, error }) => (
            <span
              className="row tight-row call-depth"
              style={{ paddingLeft: `${Math.min(depth, 8) * 0.75}rem` }}
            >
              <span className="mono small">{type.slice(0, 20)}</span>
              {error && <Status kind="danger">{error.slice(0, 80)}</Status>}
            </span>
          ),
        },
        {
          label: t("Method"),
          cell: ({ input, type }) => <MethodChip input={input} isCreation={type.startsWith("CREATE")} />,
        },
        {
          label: t("From"),
          cell: ({ from }) => (from ? <AddressLink address={from} /> : "–"),
        },
        { label: t("To"), cell: ({ to }) => (to ? <AddressLink address={to} /> : "–") },
        { label: t("Value"), number: true, cell: ({ value }) => <CoinAmount wei={value} /> },
      ]}
    />
  );
  return (
    <section className="card">
      <QueryState
        query={trace}
        label={t("Loading internal calls")}
        skeleton={renderTable(undefined)}
        renderError={(error) =>
          isTransientError(error) ? undefined : (
            <EmptyState title={t("Tracing not supported")}>
              {t("The node doesn't support debug_traceTransaction, so internal calls are unavailable.")}
            </EmptyState>
          )
        }
      >
        {({ calls }) => renderTable(calls)}
      </QueryState>
    </section>
  );
}
