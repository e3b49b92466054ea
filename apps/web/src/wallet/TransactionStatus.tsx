import type { TransactionReference } from "@purse/client";
import type { TransactionView } from "@purse/react";
import { CopyButton, Notice, Stepper, type StepState, type Translator, useTranslation } from "@purse/ui";
import { ExplorerLink } from "./ExplorerLink.tsx";
import { RevertDetails } from "./RevertDetails.tsx";
import { SpeedUpCancel } from "./SpeedUpCancel.tsx";
import { FINAL_CONFIRMATIONS, type LoggedStatus } from "./transactionLog.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";
import { useTrackedTransaction } from "./useTrackedTransaction.ts";

export interface TransactionStatusProps {
  hash: string;
  /** Hex chain ID; for transactions that this browser has not sent. */
  chain?: string | undefined;
  onView?: (view: TransactionView) => React.ReactNode;
}

/** The status of a transaction by its hash, also after a reload, in another tab or from a link. */
export function TransactionStatus({ hash, chain, onView }: TransactionStatusProps) {
  const { t } = useTranslation();
  const logged = useTransactionLog().find(hash);
  const reference: TransactionReference = logged?.reference ?? { hash, chainId: chain ?? null };
  const view = useTrackedTransaction(reference);
  // The initial status of the tracker is less specific than the stored one.
  const status: LoggedStatus =
    view.status === "unknown" || view.status === "submitted" ? (logged?.status ?? "submitted") : view.status;
  return (
    <section className="stack" aria-labelledby="following">
      <h2 id="following">{t(TITLES[status])}</h2>
      {logged && <p className="soft">{logged.label}</p>}
      <Stepper steps={stepsFor(status, view.confirmations, t)} />
      {(status === "confirmed" || status === "reverted") && (
        <p className="soft">
          {view.confirmations >= FINAL_CONFIRMATIONS
            ? t("Finalized ({n, number} confirmations)", { n: view.confirmations })
            : t("{n, number} of {all, number} confirmations", {
                n: view.confirmations,
                all: FINAL_CONFIRMATIONS,
              })}
        </p>
      )}
      {status === "reverted" && (
        <Notice kind="danger" title={t("Transaction reverted")}>
          {view.revert ? <RevertDetails revert={view.revert} /> : t("No reason given.")}{" "}
          {t("You only paid the network fee.")}
        </Notice>
      )}
      {logged && (status === "submitted" || status === "seen") && (
        <SpeedUpCancel reference={logged.reference} label={logged.label} />
      )}
      {status === "replaced" && (
        <Notice kind="warning" title={t(REPLACEMENT_TITLES[view.replacement?.reason ?? "replaced"])}>
          {view.replacement?.hash && (
            <ExplorerLink kind="tx" id={view.replacement.hash} chain={reference.chainId ?? undefined}>
              {t("Replacement transaction")}
            </ExplorerLink>
          )}
        </Notice>
      )}
      {status === "dropped" && (
        <Notice kind="warning" title={t("Transaction dropped")}>
          {t("No funds were moved. It may reappear, so only resend it with the same nonce.")}
        </Notice>
      )}
      {view.error ? (
        <Notice kind="warning" title={t("The chain is currently unavailable")}>
          {t("Showing the last known status. Retrying automatically.")}
        </Notice>
      ) : null}
      <p className="row">
        <code className="address">{hash}</code>
        <CopyButton text={hash} label={t("transaction hash")} />
      </p>
      <p>
        <ExplorerLink kind="tx" id={hash} chain={reference.chainId ?? chain}>
          {t("View in explorer")}
        </ExplorerLink>
      </p>
      {onView?.(view)}
    </section>
  );
}

const TITLES: Record<LoggedStatus, string> = {
  submitted: "Pending",
  seen: "Pending",
  confirmed: "Sent",
  reverted: "Reverted",
  replaced: "Replaced",
  dropped: "Dropped",
};

const REPLACEMENT_TITLES = {
  "sped up": "Sped up: resubmitted with a higher fee",
  cancelled: "Cancelled in the wallet",
  replaced: "Replaced by another transaction",
} as const;

const STEP_LABELS = {
  wallet: "Waiting for wallet",
  submitted: "Submitted",
  seen: "In mempool",
  confirmed: "Included in a block",
  final: "Finalized",
} as const;
const STEPS = ["wallet", "submitted", "seen", "confirmed", "final"] as const;

const FAILURE_LABELS: Partial<Record<LoggedStatus, string>> = {
  reverted: "Reverted",
  replaced: "Replaced by another transaction",
  dropped: "Dropped from mempool",
};

/** The steps of a transaction; `wallet` is the step before it has a hash. */
export function stepsFor(
  status: LoggedStatus | "wallet",
  confirmations: number,
  t: Translator["t"],
): { label: string; state: StepState }[] {
  const failure = status === "wallet" ? undefined : FAILURE_LABELS[status];
  if (failure) {
    return [
      { label: t(STEP_LABELS.wallet), state: "done" },
      { label: t(STEP_LABELS.submitted), state: "done" },
      { label: t(failure), state: "failed" },
    ];
  }
  const order: readonly string[] = STEPS;
  const isFinal = confirmations >= FINAL_CONFIRMATIONS;
  const at = isFinal ? STEPS.length : order.indexOf(status);
  const reached = status === "confirmed" ? at + 1 : at;
  return STEPS.map((each, i) => ({
    label: t(STEP_LABELS[each]),
    state: i < reached ? "done" : i === reached ? "now" : "todo",
  }));
}
