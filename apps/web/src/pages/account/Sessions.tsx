import { type OwnSession, useMoralis } from "@purse/react";
import {
  Button,
  explain,
  formatDate,
  QueryState,
  RelativeTime,
  SkeletonList,
  useToast,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { deviceOf, signInMethodOf } from "./sessionLabels.ts";
import { useOwnSessions } from "./useOwnSessions.ts";

/** Lists the active sessions and revokes them. */
export function Sessions() {
  const texts = useTranslation();
  const { t } = texts;
  const { logout } = useMoralis();
  const { query, revoke, revokeOthers } = useOwnSessions();
  const toast = useToast();
  const [revoking, setRevoking] = useState<string>();
  const others = (query.data ?? []).filter(({ isCurrent }) => !isCurrent);
  async function runRevocation(id: string, revocation: () => Promise<unknown>, message: string) {
    setRevoking(id);
    try {
      await revocation();
      await query.refetch();
      toast(message);
    } catch (problem) {
      const { title, detail } = explain(problem, t);
      toast(`${title}. ${detail}`);
    } finally {
      setRevoking(undefined);
    }
  }
  return (
    <section className="card stack" aria-labelledby="sessions">
      <div className="row" style={{ justifyContent: "space-between" }}>
        <h2 id="sessions">{t("Active sessions")}</h2>
        {others.length > 0 && (
          <Button
            variant="danger"
            busy={revoking === "others"}
            onClick={() =>
              void runRevocation(
                "others",
                () => revokeOthers({ throwOnError: true }),
                t("{n, plural, one {# session revoked} other {# sessions revoked}}", { n: others.length }),
              )
            }
          >
            {t("Revoke all other sessions")}
          </Button>
        )}
      </div>
      <p className="soft small">
        {t("IP addresses are not stored. Last activity is accurate to 15 minutes.")}
      </p>
      <QueryState
        query={query}
        label={t("Loading sessions")}
        skeleton={<SkeletonList rows={2} label={t("Loading sessions")} />}
      >
        {(sessions) => (
          <ul className="list" aria-label={t("Sessions")}>
            {sessions.map((session) => (
              <li key={session.id} className="linked">
                <SessionDetails session={session} />
                {session.isCurrent ? (
                  <Button small variant="quiet" onClick={() => void logout()}>
                    {t("Sign out")}
                  </Button>
                ) : (
                  <Button
                    small
                    variant="quiet"
                    busy={revoking === session.id}
                    aria-label={t("Revoke {device}", { device: deviceOf(session, texts) })}
                    onClick={() =>
                      void runRevocation(
                        session.id,
                        () => revoke(session.id, { throwOnError: true }),
                        t("Session revoked"),
                      )
                    }
                  >
                    {t("Revoke")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryState>
    </section>
  );
}

function SessionDetails({ session }: { session: OwnSession }) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { isCurrent, createdAt, expiresAt, lastUsedAt } = session;
  const signInMethod = signInMethodOf(session, texts);
  return (
    <div>
      <p className="row">
        <strong>
          <bdi>{deviceOf(session, texts)}</bdi>
        </strong>
        {isCurrent && <span className="tag">{t("This device")}</span>}
      </p>
      <p className="soft small session-facts">
        {createdAt && (
          <span>
            {t("signed in")} <RelativeTime at={createdAt} /> {signInMethod}
          </span>
        )}
        {lastUsedAt && (
          <span>
            {isCurrent ? (
              t("active now")
            ) : (
              <>
                {t("last used")} <RelativeTime at={lastUsedAt} />
              </>
            )}
          </span>
        )}
        {expiresAt && <span>{t("expires on {day}", { day: formatDate(expiresAt, language, "date") })}</span>}
      </p>
    </div>
  );
}
