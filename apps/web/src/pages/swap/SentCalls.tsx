import { waitForCalls } from "@purse/client";
import { useMoralis } from "@purse/react";
import { ErrorState, Notice, Stepper, useTranslation } from "@purse/ui";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type CallsOutcome, callsOutcome } from "../../wallet/callsOutcome.ts";
import { stepsFor } from "../../wallet/TransactionStatus.tsx";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";

/** Waits until the wallet has executed calls that were sent together, and continues with their transaction. */
export function SentCalls({ id, chain }: { id: string; chain: string | undefined }) {
  const { t } = useTranslation();
  const { isWeb3Enabled } = useMoralis();
  const navigate = useNavigate({ from: "/swap" });
  const log = useTransactionLog();
  const [end, setEnd] = useState<keyof typeof NOTICES>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);

  function settle(outcome: CallsOutcome): void {
    if ("status" in outcome) {
      log.settleCalls(id);
      setEnd(outcome.status);
      return;
    }
    const { hash } = outcome;
    const isLogged = log.settleCalls(id, hash) || log.find(hash) !== undefined;
    // The calls may have been sent in another browser.
    if (!isLogged) log.add({ hash, chainId: chain ?? null }, t("Approve and swap"));
    void navigate({ search: (before) => ({ ...before, calls: undefined, tx: hash }), replace: true });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry starts again.
  useEffect(() => {
    if (!isWeb3Enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    waitForCalls(id, { signal }).then(
      (status) => !signal.aborted && settle(callsOutcome(status)),
      (failure: unknown) => !signal.aborted && setError(failure),
    );
    return () => controller.abort();
  }, [id, isWeb3Enabled, attempt]);

  const status = end ?? (error === undefined ? "pending" : "unknown");
  return (
    <section className="card stack" aria-labelledby="following">
      <h2 id="following">{t(TITLES[status])}</h2>
      {end !== undefined ? (
        <Notice kind={KINDS[end]} title={t(NOTICES[end])}>
          {end === "unknown"
            ? t("Check your wallet before you try again.")
            : t("Look at the activity in your wallet for details.")}
        </Notice>
      ) : error !== undefined ? (
        <ErrorState
          error={error}
          retry={() => {
            setError(undefined);
            setAttempt((before) => before + 1);
          }}
        />
      ) : (
        <Stepper steps={stepsFor("submitted", 0, t)} />
      )}
      {status !== "pending" && (
        <div className="row">
          <Link
            to="/swap"
            from="/swap"
            search={(before) => ({ ...before, calls: undefined, step: undefined })}
            className="button"
          >
            {t("Swap again")}
          </Link>
        </div>
      )}
    </section>
  );
}

const TITLES = {
  pending: "Pending",
  confirmed: "Sent",
  failed: "Failed",
  reverted: "Reverted",
  unknown: "Status unknown",
} as const;

const NOTICES = {
  confirmed: "The wallet has executed the calls",
  failed: "The wallet did not execute the calls",
  reverted: "Transaction reverted",
  unknown: "The calls may have been executed",
} as const;

const KINDS = { confirmed: "ok", failed: "warning", reverted: "danger", unknown: "warning" } as const;
