import { ErrorState, Notice, Stepper, useTranslation } from "@purse/ui";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { stepsFor } from "../../wallet/TransactionStatus.tsx";
import { useCallsOutcome } from "../../wallet/useCallsOutcome.ts";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";

/** Waits until the wallet has executed calls that were sent together, and continues with their transaction. */
export function SentCalls({ id, chain }: { id: string; chain: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/swap" });
  const log = useTransactionLog();
  const { data: outcome, error, refetch } = useCallsOutcome(id);

  // biome-ignore lint/correctness/useExhaustiveDependencies: settles an outcome once.
  useEffect(() => {
    if (!outcome) return;
    if ("status" in outcome) {
      log.settleCalls(id);
      return;
    }
    const { hash } = outcome;
    const isLogged = log.settleCalls(id, hash) || log.find(hash) !== undefined;
    // The calls may have been sent in another browser.
    if (!isLogged) log.add({ hash, chainId: chain ?? null }, t("Approve and swap"));
    void navigate({ search: (before) => ({ ...before, calls: undefined, tx: hash }), replace: true });
  }, [id, outcome]);

  const end = outcome && "status" in outcome ? outcome.status : undefined;
  const status = end ?? (error ? "unknown" : "pending");
  return (
    <section className="card stack" aria-labelledby="following">
      <h2 id="following">{t(TITLES[status])}</h2>
      {end !== undefined ? (
        <Notice kind={KINDS[end]} title={t(NOTICES[end])}>
          {end === "unknown"
            ? t("Check your wallet before you try again.")
            : t("Look at the activity in your wallet for details.")}
        </Notice>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
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
