import type { TransactionReference } from "@purse/client";
import type { TransactionView } from "@purse/react";
import { CopyButton } from "../design/CopyButton.tsx";
import { Notice } from "../design/Status.tsx";
import { Stepper, type StepState } from "../design/Stepper.tsx";
import { useTexts } from "../texts/TextsContext.tsx";
import { ExplorerLink } from "./ExplorerLink.tsx";
import { Replacing } from "./Replacing.tsx";
import { FINAL_CONFIRMATIONS, type TransactionStatus } from "./transactionLog.ts";
import { useFollowedTransaction } from "./useFollowedTransaction.ts";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/** A transaction from its hash on: also after a reload, in another tab, or from a link. */
export function FollowUp({
  hash,
  chain,
  onView,
}: {
  hash: string;
  /** Hex; where this browser has not sent it itself. */
  chain?: string | undefined;
  onView?: (view: TransactionView) => React.ReactNode;
}) {
  const { t } = useTexts();
  const logged = useTransactionLog().find(hash);
  const reference: TransactionReference = logged?.reference ?? { hash, chainId: chain ?? null };
  const view = useFollowedTransaction(reference);
  // What a follower begins with tells less than what was seen before a reload.
  const stage: TransactionStatus =
    view.status === "unknown" || view.status === "submitted" ? (logged?.status ?? "submitted") : view.status;
  return (
    <section className="stack" aria-labelledby="following">
      <h2 id="following">{t(TITLES[stage])}</h2>
      {logged && <p className="soft">{logged.label}</p>}
      <Stepper steps={stepsFor(stage, view.confirmations, t)} />
      {(stage === "confirmed" || stage === "reverted") && (
        <p className="soft">
          {view.confirmations >= FINAL_CONFIRMATIONS
            ? t("Final: {n} blocks stand on it.", { n: view.confirmations })
            : t("{n} of {all} confirmations", { n: view.confirmations, all: FINAL_CONFIRMATIONS })}
        </p>
      )}
      {stage === "reverted" && (
        <Notice kind="danger" title={t("The contract has refused it")}>
          <bdi>{view.revert?.reason.slice(0, 300) ?? t("It gave no reason.")}</bdi>{" "}
          {t("Only the network's fee is lost.")}
        </Notice>
      )}
      {logged && (stage === "submitted" || stage === "seen") && (
        <Replacing reference={logged.reference} label={logged.label} />
      )}
      {stage === "replaced" && (
        <Notice kind="warning" title={t(REPLACED[view.replacement?.reason ?? "replaced"])}>
          {view.replacement?.hash && (
            <ExplorerLink kind="tx" id={view.replacement.hash} chain={reference.chainId ?? undefined}>
              {t("The one in its place")}
            </ExplorerLink>
          )}
        </Notice>
      )}
      {stage === "dropped" && (
        <Notice kind="warning" title={t("No node knows it any more")}>
          {t("Nothing has moved. It may come back; send it again only with the same nonce.")}
        </Notice>
      )}
      {view.error ? (
        <Notice kind="warning" title={t("The chain cannot be asked at the moment")}>
          {t("What is shown is what was seen last. It is tried again by itself.")}
        </Notice>
      ) : null}
      <p className="row">
        <code className="address">{hash}</code>
        <CopyButton text={hash} label={t("transaction hash")} />
      </p>
      <p>
        <ExplorerLink kind="tx" id={hash} chain={reference.chainId ?? chain}>
          {t("Open in the explorer")}
        </ExplorerLink>
      </p>
      {onView?.(view)}
    </section>
  );
}

const TITLES: Record<TransactionStatus, string> = {
  submitted: "On its way",
  seen: "On its way",
  confirmed: "Sent",
  reverted: "Reverted",
  replaced: "Replaced",
  dropped: "Dropped",
};

const REPLACED = {
  "sped up": "It was sped up: the same went through for a higher fee",
  cancelled: "It was cancelled in the wallet",
  replaced: "Another transaction has taken its place",
} as const;

const LABELS = {
  wallet: "Waiting for the wallet",
  submitted: "Submitted to the network",
  seen: "Seen by the node",
  confirmed: "Confirmed in a block",
  final: "Final",
} as const;
const STAGES = ["wallet", "submitted", "seen", "confirmed", "final"] as const;

const FAILED: Partial<Record<TransactionStatus, string>> = {
  reverted: "Reverted by the chain",
  replaced: "Another transaction has taken its place",
  dropped: "Forgotten by the node",
};

/** The steps of a transaction; `wallet` is before it has a hash. */
export function stepsFor(
  stage: TransactionStatus | "wallet",
  confirmations: number,
  t: (sentence: string) => string,
): { label: string; state: StepState }[] {
  const failure = stage === "wallet" ? undefined : FAILED[stage];
  if (failure) {
    return [
      { label: t(LABELS.wallet), state: "done" },
      { label: t(LABELS.submitted), state: "done" },
      { label: t(failure), state: "failed" },
    ];
  }
  const order: readonly string[] = STAGES;
  const isFinal = confirmations >= FINAL_CONFIRMATIONS;
  const at = isFinal ? STAGES.length : order.indexOf(stage);
  const reached = stage === "confirmed" ? at + 1 : at;
  return STAGES.map((each, i) => ({
    label: t(LABELS[each]),
    state: i < reached ? "done" : i === reached ? "now" : "todo",
  }));
}
