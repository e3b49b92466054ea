import { QueryState } from "../../design/QueryState.tsx";
import { Status } from "../../design/Status.tsx";
import { EmptyState } from "../../design/states.tsx";
import { Table } from "../../design/Table.tsx";
import { mayPass } from "../../query/failures.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { ConnectWalletButton } from "../../wallet/ConnectWallet.tsx";
import { useNode } from "./node.ts";
import { AddressLink, Coins, MethodChip } from "./parts.tsx";
import { type InternalCall, traceTransaction } from "./trace.ts";
import { useNodeAnswer } from "./useNodeAnswer.ts";

/** The calls that a transaction's contracts made, where a node traces. */
export function InternalCalls({ hash }: { hash: string }) {
  const { t } = useTexts();
  const node = useNode();
  const trace = useNodeAnswer(node, ["trace", hash], (asked) => traceTransaction(asked, hash));
  if (!trace) {
    return (
      <div className="card">
        <EmptyState title={t("No node to ask")} action={<ConnectWalletButton />}>
          {t("The data service does not trace. Connect a wallet on this chain, and its node is asked.")}
        </EmptyState>
      </div>
    );
  }
  const table = (calls: readonly InternalCall[] | undefined) => (
    <Table
      caption={t("Internal calls")}
      rows={calls}
      keyOf={({ key }) => key}
      empty={
        <EmptyState title={t("No internal call")}>
          {t("Nothing was called beside what the transaction itself calls.")}
        </EmptyState>
      }
      columns={[
        {
          key: "type",
          label: t("Kind"),
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
          key: "method",
          label: t("Method"),
          cell: ({ input, type }) => <MethodChip input={input} creates={type.startsWith("CREATE")} />,
        },
        {
          key: "from",
          label: t("From"),
          cell: ({ from }) => (from ? <AddressLink address={from} /> : "–"),
        },
        { key: "to", label: t("To"), cell: ({ to }) => (to ? <AddressLink address={to} /> : "–") },
        { key: "value", label: t("Value"), number: true, cell: ({ value }) => <Coins wei={value} /> },
      ]}
    />
  );
  return (
    <section className="card">
      <QueryState
        query={trace}
        label={t("Loading internal calls")}
        skeleton={table(undefined)}
        instead={(error) =>
          mayPass(error) ? undefined : (
            <EmptyState title={t("The node does not trace")}>
              {t("It does not answer debug_traceTransaction, so internal calls are not known here.")}
            </EmptyState>
          )
        }
      >
        {({ calls }) => table(calls)}
      </QueryState>
    </section>
  );
}
