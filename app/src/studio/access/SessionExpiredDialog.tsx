import { Dialog } from "../../design/Dialog.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { SignIn } from "./SignIn.tsx";

/** Over the room that somebody is in. It does not close: what waits for it goes on when they are back. */
export function SessionExpiredDialog({ username }: { username: string }) {
  const { t } = useTexts();
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={t("Your session has ended")}
      about={t("Sign in again to continue where you left off.")}
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
