import { Dialog } from "../../design/Dialog.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { SignIn } from "./SignIn.tsx";

/** Over the room that somebody is in. It does not close: what waits for it goes on when they are back. */
export function SignInAgain({ username }: { username: string }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={t("Your session has ended")}
      description={t("Sign in again. What you were doing is still here and goes on.")}
    >
      <div className="stack">
        <SignIn username={username} />
        <p className="soft small">
          <a href="/studio" onClick={() => window.location.reload()}>
            {t("Sign in as somebody else")}
          </a>
          {" — "}
          {t("what is not saved is lost then.")}
        </p>
      </div>
    </Dialog>
  );
}
