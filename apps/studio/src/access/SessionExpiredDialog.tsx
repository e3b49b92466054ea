import { Dialog, useTranslation } from "@purse/ui";
import { SignIn } from "./SignIn.tsx";

/** A dialog over the current page that cannot be closed. Pending requests resume after signing in. */
export function SessionExpiredDialog({ username }: { username: string }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={t("Session expired")}
      description={t("Sign in again to continue where you left off.")}
    >
      <div className="stack">
        <SignIn username={username} />
        <p className="soft small">
          <a href="/studio" onClick={() => window.location.reload()}>
            {t("Use a different account")}
          </a>
          {" — "}
          {t("unsaved changes will be lost.")}
        </p>
      </div>
    </Dialog>
  );
}
