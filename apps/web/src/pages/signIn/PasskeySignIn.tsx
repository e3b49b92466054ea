import { ErrorCode, Passkeys } from "@purse/client";
import { type CallError, usePasskeys } from "@purse/react";
import { Button, ErrorState, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";

/**
 * Signs in with a passkey: by a button, and in the autofill of the username field. Nothing where the browser or the page
 * does not support passkeys.
 */
export function PasskeySignIn() {
  const { t } = useTranslation();
  const { signIn } = usePasskeys({ autoFetch: false });
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const autofill = useRef<AbortController>(undefined);
  useEffect(() => {
    // The browser answers one request at a time.
    if (isBusy) return;
    const controller = new AbortController();
    autofill.current = controller;
    const { signal } = controller;
    // Users who have not chosen a passkey need not know that they could not have done so.
    const handleError = (problem: CallError) =>
      problem.code === ErrorCode.OBJECT_NOT_FOUND && setError(problem);
    void Passkeys.isAutofillSupported().then((isAvailable) => {
      if (isAvailable && !signal.aborted) return signIn({ autofill: true, signal, onError: handleError });
    });
    return () => controller.abort();
  }, [isBusy, signIn]);
  if (!Passkeys.isSupported()) return null;

  async function run() {
    autofill.current?.abort();
    setIsBusy(true);
    setError(undefined);
    await signIn({ onError: (problem) => !isCancelled(problem) && setError(problem) });
    setIsBusy(false);
  }

  return (
    <div className="stack tight">
      <Button busy={isBusy} onClick={() => void run()}>
        {t("Sign in with a passkey")}
      </Button>
      {error !== undefined && <ErrorState error={error} />}
    </div>
  );
}

/** Whether the user has closed the browser's dialog, or has no passkey for this page. */
function isCancelled(error: unknown): boolean {
  return error instanceof DOMException;
}
