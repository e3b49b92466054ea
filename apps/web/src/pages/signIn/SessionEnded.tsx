import { onSessionEnd } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, Dialog, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import { knownUserOf } from "./knownUser.ts";
import { type SignInMethod, SignInMethods } from "./SignInMethods.tsx";

/**
 * The dialog over the current page after the session expired. Signing in again keeps the page's state. After closing
 * it, the page can still be read; requests that need the session reopen the dialog.
 */
export function SessionEnded() {
  const { t } = useTranslation();
  const { user, logout } = useMoralis();
  const [isOpen, setOpen] = useState(true);
  useReopenOnRequest(isOpen, () => setOpen(true));
  const known = user && knownUserOf(user);
  const hasWallet = known !== null && (known.accounts.length > 0 || known.solanaAccount !== undefined);
  const [method, setMethod] = useState<SignInMethod>(hasWallet ? "wallet" : "password");
  if (!isOpen) {
    return (
      <div className="session-over" role="status">
        <span>{t("Session expired. Changes can't be saved until you sign in again.")}</span>
        <Button small variant="primary" onClick={() => setOpen(true)}>
          {t("Sign in again")}
        </Button>
      </div>
    );
  }
  return (
    <Dialog
      open
      onClose={() => setOpen(false)}
      title={t("Session expired")}
      description={t("Sign in again to continue. Your unsaved input on this page is kept.")}
      actions={<Button onClick={() => void logout()}>{t("Sign out")}</Button>}
    >
      <SignInMethods value={method} onChange={setMethod} {...(known && { restrictTo: known })} />
    </Dialog>
  );
}

/** Reopens the dialog for requests that follow user actions, not for background ones. */
function useReopenOnRequest(isOpen: boolean, open: () => void): void {
  const reopen = useRef(open);
  reopen.current = open;
  useEffect(() => {
    if (isOpen) return undefined;
    let hasActed = false;
    const act = () => {
      hasActed = true;
    };
    window.addEventListener("pointerdown", act, true);
    window.addEventListener("keydown", act, true);
    const stop = onSessionEnd(() => hasActed && reopen.current());
    return () => {
      window.removeEventListener("pointerdown", act, true);
      window.removeEventListener("keydown", act, true);
      stop();
    };
  }, [isOpen]);
}
