import { cancelTransaction, speedUpTransaction, type TransactionReference } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, ErrorState, useToast, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useTransactionLog } from "./useLoggedTransactions.ts";

/** Lets the sender of a pending transaction resubmit it with a higher fee, or cancel it. */
export function SpeedUpCancel({ reference, label }: { reference: TransactionReference; label: string }) {
  const { t } = useTranslation();
  const { account } = useMoralis();
  const toast = useToast();
  const log = useTransactionLog();
  const [busy, setBusy] = useState<"faster" | "nothing">();
  const [error, setError] = useState<unknown>();
  const { from, nonce, call } = reference;
  const isSender = from?.toLowerCase() === account?.toLowerCase() && account !== null;
  if (!isSender || nonce === undefined || nonce === null) return null;

  async function replace(kind: "faster" | "nothing") {
    setBusy(kind);
    setError(undefined);
    try {
      const sent = await (kind === "faster" ? speedUpTransaction(reference) : cancelTransaction(reference));
      const what = t(kind === "faster" ? "{what} (sped up)" : "{what} (cancelled)", { what: label });
      log.add({ ...sent.reference, chainId: sent.reference.chainId ?? reference.chainId }, what);
      toast(t(kind === "faster" ? "Resubmitted with a higher fee" : "Cancellation submitted"));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <div className="stack tight">
      <div className="row">
        {call && (
          <Button
            small
            busy={busy === "faster"}
            disabled={busy !== undefined}
            onClick={() => void replace("faster")}
          >
            {t("Speed up")}
          </Button>
        )}
        <Button
          small
          variant="quiet"
          busy={busy === "nothing"}
          disabled={busy !== undefined}
          onClick={() => void replace("nothing")}
        >
          {t("Cancel transaction")}
        </Button>
      </div>
      {error !== undefined && <ErrorState error={error} />}
    </div>
  );
}
