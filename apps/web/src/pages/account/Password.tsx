import type { User } from "@purse/client";
import { type OwnSession, useMoralis } from "@purse/react";
import {
  Button,
  ErrorState,
  Field,
  QueryState,
  RelativeTime,
  Skeleton,
  useToast,
  useTranslation,
} from "@purse/ui";
import { type FormEvent, useState } from "react";
import { useSettings } from "../../SettingsContext.tsx";
import { deviceOf, providerOf, signInMethodOf } from "./sessionLabels.ts";
import { stringField } from "./stringField.ts";
import { useOwnSessions } from "./useOwnSessions.ts";

/** Sets or changes the password and lists the sessions that this revokes. */
export function Password({ user }: { user: User }) {
  const { t } = useTranslation();
  const { passwordEndsSessions } = useSettings();
  const { Moralis, setUserData, isUserUpdating } = useMoralis();
  const { query: sessions } = useOwnSessions();
  const toast = useToast();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const [isChecking, setIsChecking] = useState(false);
  const [error, setError] = useState<unknown>();
  // Users who signed up with a wallet may have no password.
  const currentSession = sessions.data?.find(({ isCurrent }) => isCurrent);
  const needsCurrent = currentSession === undefined || providerOf(currentSession) === "password";

  const isWrongPassword = error instanceof Error && /^Invalid username\/password/.test(error.message);

  async function save(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    setError(undefined);
    if (next === "" || (needsCurrent && current === "")) return;
    setIsChecking(true);
    try {
      if (current !== "") await Moralis.User.verifyPassword(stringField(user.get("username")), current);
    } catch (problem) {
      setError(problem);
      return;
    } finally {
      setIsChecking(false);
    }
    const saved = await setUserData({ password: next }, { onError: setError });
    if (!saved) return;
    setCurrent("");
    setNext("");
    setWasSubmitted(false);
    toast(t("Password saved"));
    void sessions.refetch();
  }

  return (
    <form className="card stack" onSubmit={(event) => void save(event)} noValidate aria-label={t("Password")}>
      <h2>{t("Password")}</h2>
      <input type="text" autoComplete="username" value={stringField(user.get("username"))} readOnly hidden />
      <Field
        label={needsCurrent ? t("Current password") : t("Current password (if set)")}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        problem={
          wasSubmitted && needsCurrent && current === ""
            ? t("Enter your current password.")
            : isWrongPassword
              ? t("Wrong password.")
              : undefined
        }
      />
      <Field
        label={t("New password")}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={(event) => setNext(event.target.value)}
        problem={wasSubmitted && next === "" ? t("Enter a new password.") : undefined}
      />
      {passwordEndsSessions ? (
        <QueryState query={sessions} label={t("Loading sessions")} skeleton={<Skeleton height="1.4rem" />}>
          {(all) => <RevokedSessions sessions={all.filter(({ isCurrent }) => !isCurrent)} />}
        </QueryState>
      ) : (
        <p className="soft small">{t("Other sessions stay signed in. Revoke them under Sessions.")}</p>
      )}
      {error !== undefined && !isWrongPassword && <ErrorState error={error} />}
      <div>
        <Button type="submit" busy={isUserUpdating || isChecking}>
          {t("Save password")}
        </Button>
      </div>
    </form>
  );
}

/** Further sessions are only counted. */
const MAX_LISTED = 5;

/** Lists the sessions that a new password revokes. */
function RevokedSessions({ sessions }: { sessions: readonly OwnSession[] }) {
  const texts = useTranslation();
  const { t, count } = texts;
  if (sessions.length === 0) {
    return <p className="soft small">{t("You stay signed in here. There are no other sessions.")}</p>;
  }
  return (
    <div className="soft small">
      <p>
        {count(
          sessions.length,
          "You stay signed in here. {n} other session will be signed out:",
          "You stay signed in here. {n} other sessions will be signed out:",
        )}
      </p>
      <ul className="ending" aria-label={t("Sessions to be revoked")}>
        {sessions.slice(0, MAX_LISTED).map((session) => (
          <li key={session.id}>
            <bdi>{deviceOf(session, texts)}</bdi>, {signInMethodOf(session, texts)}
            {session.lastUsedAt && (
              <>
                , {t("last used")} <RelativeTime at={session.lastUsedAt} />
              </>
            )}
          </li>
        ))}
        {sessions.length > MAX_LISTED && (
          <li>{count(sessions.length - MAX_LISTED, "{n} more", "{n} more")}</li>
        )}
      </ul>
    </div>
  );
}
