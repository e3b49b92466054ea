import { waitForCalls } from "@purse/client";
import { useMoralis } from "@purse/react";
import { ErrorState, Notice, Stepper, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { stepsFor } from "../../wallet/TransactionStatus.tsx";
import { useTransactionLog } from "../../wallet/useLoggedTransactions.ts";

/** Waits until the wallet has executed calls that were sent together, and continues with their transaction. */
export function SentCalls({ id, chain }: { id: string; chain: string | undefined }) {
  const { t } = useTranslation();
  const { isWeb3Enabled } = useMoralis();
  const navigate = useNavigate({ from: "/swap" });
  const log = useTransactionLog();
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry starts again.
  useEffect(() => {
    if (!isWeb3Enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    waitForCalls(id, { signal }).then(
      ({ status, receipts }) => {
        const hash = receipts.at(-1)?.transactionHash;
        if (hash !== undefined) {
          log.add({ hash, chainId: chain ?? null }, t("Approve and swap"));
          void navigate({
            search: (before) => ({ ...before, calls: undefined, tx: hash }),
            replace: true,
          });
        } else if (status === "confirmed") setProblem(t("Sent"));
        else setProblem(status === "unknown" ? t("Unknown") : t("The wallet did not execute the calls"));
      },
      (failure: unknown) => !signal.aborted && setError(failure),
    );
    return () => controller.abort();
  }, [id, isWeb3Enabled, attempt]);

  return (
    <section className="card stack" aria-labelledby="following">
      <h2 id="following">{t("Pending")}</h2>
      {problem !== undefined ? (
        <Notice kind="warning" title={problem}>
          {t("Look at the activity in your wallet for details.")}
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
    </section>
  );
}
