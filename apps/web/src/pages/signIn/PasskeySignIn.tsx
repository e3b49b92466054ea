import { ErrorCode, Passkeys } from "@purse/client";
import { type CallError, usePasskeys } from "@purse/react";
import { Button, ErrorState, Notice, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import { isCancelled } from "./passkeyErrors.ts";
import { signInAgain } from "./signInAgain.ts";

export interface PasskeySignInProps {
  /** Restricts signing in to the user with this ID. */
  restrictTo?: string;
  /** Whether the browser shows its dialog for another passkey. */
  isPaused?: boolean;
}

/**
 * Signs in with a passkey: by a button, and in the autofill of the username field. Nothing where the browser or the page
 * does not support passkeys.
 */
export function PasskeySignIn({ restrictTo, isPaused = false }: PasskeySignInProps) {
  const { t } = useTranslation();
  const { signIn } = usePasskeys({ autoFetch: false });
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isOtherUser, setOtherUser] = useState(false);
  const autofill = useRef<AbortController>(undefined);
  const offersAutofill = restrictTo === undefined && !isPaused && !isBusy;
  useEffect(() => {
    // The browser answers one request at a time.
    if (!offersAutofill) return;
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
  }, [offersAutofill, signIn]);
  if (!Passkeys.isSupported()) return null;

  async function run() {
    autofill.current?.abort();
    setIsBusy(true);
    setError(undefined);
    setOtherUser(false);
    const handleError = (problem: unknown) => !isCancelled(problem) && setError(problem);
    if (restrictTo === undefined) await signIn({ onError: handleError });
    else await signInAgain(restrictTo).then((isSame) => setOtherUser(!isSame), handleError);
    setIsBusy(false);
  }

  return (
    <div className="stack tight">
      <Button busy={isBusy} disabled={isPaused} onClick={() => void run()}>
        {t("Sign in with a passkey")}
      </Button>
      {isOtherUser && (
        <Notice kind="warning" title={t("Passkey of another account")}>
          {t("Choose a passkey of your account, or sign out to use a different account.")}
        </Notice>
      )}
      {error !== undefined && <ErrorState error={error} />}
    </div>
  );
}
