import type { User } from "@purse/client";
import { type OwnSession, useMoralis } from "@purse/react";
import {
  Field,
  Form,
  PasswordField,
  QueryState,
  RelativeTime,
  Skeleton,
  SkeletonList,
  secret,
  useAction,
  useForm,
  useToast,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { stringField } from "../../components/stringField.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { PasswordRules } from "../signIn/PasswordRules.tsx";
import { passwordHint } from "../signIn/passwordHint.ts";
import { deviceOf, providerOf, signInMethodOf } from "./sessionLabels.ts";
import { useOwnSessions } from "./useOwnSessions.ts";
import { useSignInMethods } from "./useSignInMethods.ts";

/** Sets or changes the password and lists the sessions that this revokes. */
export function Password({ user }: { user: User }) {
  const { t } = useTranslation();
  const methods = useSignInMethods();
  return (
    <section className="card stack" aria-labelledby="password">
      <h2 id="password">{t("Password")}</h2>
      <QueryState
        query={methods}
        label={t("Loading sign-in methods")}
        skeleton={<SkeletonList label={t("Loading sign-in methods")} rows={3} />}
      >
        {({ hasPassword }) => (
          <PasswordForm user={user} hasPassword={hasPassword} onSaved={() => void methods.refetch()} />
        )}
      </QueryState>
    </section>
  );
}

interface PasswordFormProps {
  user: User;
  hasPassword: boolean;
  onSaved: () => void;
}

function PasswordForm({ user, hasPassword, onSaved }: PasswordFormProps) {
  const { t } = useTranslation();
  const { passwordEndsSessions } = useSettings();
  const { Moralis, setUserData } = useMoralis();
  const { query: sessions } = useOwnSessions();
  const toast = useToast();
  const currentSession = sessions.data?.find(({ isCurrent }) => isCurrent);
  // Users who signed in otherwise, such as with a wallet, may have forgotten their password.
  const signedInOtherwise = currentSession !== undefined && providerOf(currentSession) !== "password";

  const schema = z.object({
    current: hasPassword && !signedInOtherwise ? secret("Enter your current password.") : z.string(),
    next: secret("Enter a new password."),
  });
  const form = useForm(schema, { current: "", next: "" });
  const { run, busy, error } = useAction(async ({ current, next }: z.infer<typeof schema>) => {
    if (current !== "") await Moralis.User.verifyPassword(stringField(user.get("username")), current);
    await setUserData({ password: next }, { throwOnError: true });
    form.reset();
    toast(t("Password saved"));
    onSaved();
    void sessions.refetch();
  });
  const isWrongPassword = error instanceof Error && /^Invalid username\/password/.test(error.message);
  return (
    <Form
      form={form}
      onSubmit={run}
      submitLabel={hasPassword ? t("Save password") : t("Set password")}
      busy={busy}
      error={isWrongPassword ? undefined : error}
      className="stack"
      label={t("Password")}
    >
      <input type="text" autoComplete="username" value={stringField(user.get("username"))} readOnly hidden />
      {hasPassword ? (
        <Field
          label={t("Current password")}
          type="password"
          autoComplete="current-password"
          hint={signedInOtherwise ? t("Optional here: you signed in without it.") : undefined}
          {...form.input("current")}
          {...(isWrongPassword && { problem: t("Wrong password.") })}
        />
      ) : (
        <p className="soft small">{t("You have no password yet.")}</p>
      )}
      <PasswordField
        label={t("New password")}
        autoComplete="new-password"
        hint={passwordHint(form.values.next, t)}
        {...form.input("next")}
      />
      <PasswordRules />
      {passwordEndsSessions ? (
        <QueryState query={sessions} label={t("Loading sessions")} skeleton={<Skeleton height="1.4rem" />}>
          {(all) => <RevokedSessions sessions={all.filter(({ isCurrent }) => !isCurrent)} />}
        </QueryState>
      ) : (
        <p className="soft small">{t("Other sessions stay signed in. Revoke them under Sessions.")}</p>
      )}
    </Form>
  );
}

/** Further sessions are only counted. */
const MAX_LISTED = 5;

/** Lists the sessions that a new password revokes. */
function RevokedSessions({ sessions }: { sessions: readonly OwnSession[] }) {
  const texts = useTranslation();
  const { t } = texts;
  if (sessions.length === 0) {
    return <p className="soft small">{t("You stay signed in here. There are no other sessions.")}</p>;
  }
  return (
    <div className="soft small">
      <p>
        {t(
          "{n, plural, one {You stay signed in here. # other session will be signed out:} other {You stay signed in here. # other sessions will be signed out:}}",
          { n: sessions.length },
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
          <li>{t("{n, number} more", { n: sessions.length - MAX_LISTED })}</li>
        )}
      </ul>
    </div>
  );
}
