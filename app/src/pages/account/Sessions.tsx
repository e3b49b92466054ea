import { type OwnSession, useMoralis } from "@purse/react";
import { useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Moment } from "../../design/Moment.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { SkeletonList } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { deviceOf, wayIn } from "./sessionWords.ts";
import { useOwnSessions } from "./useOwnSessions.ts";

/** Where one is signed in, and the ways to end that. */
export function Sessions() {
  const texts = useTexts();
  const { t, count } = texts;
  const { logout } = useMoralis();
  const { query, revoke, revokeOthers } = useOwnSessions();
  const toast = useToast();
  const [ending, setEnding] = useState<string>();
  const others = (query.data ?? []).filter(({ isCurrent }) => !isCurrent);
  async function end(id: string, work: () => Promise<unknown>, said: string) {
    setEnding(id);
    try {
      await work();
      await query.refetch();
      toast(said);
    } catch (problem) {
      const { title, detail } = explain(problem, t);
      toast(`${title}. ${detail}`);
    } finally {
      setEnding(undefined);
    }
  }
  return (
    <section className="card stack" aria-labelledby="sessions">
      <div className="row" style={{ justifyContent: "space-between" }}>
        <h2 id="sessions">{t("Where you are signed in")}</h2>
        {others.length > 0 && (
          <Button
            look="danger"
            busy={ending === "others"}
            onClick={() =>
              void end(
                "others",
                () => revokeOthers({ throwOnError: true }),
                count(others.length, "{n} session ended", "{n} sessions ended"),
              )
            }
          >
            {t("End all others")}
          </Button>
        )}
      </div>
      <p className="soft small">
        {t(
          "Your address on the network is not kept. When one was last used is known to a quarter of an hour.",
        )}
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
                <Described session={session} />
                {session.isCurrent ? (
                  <Button small look="quiet" onClick={() => void logout()}>
                    {t("Sign out here")}
                  </Button>
                ) : (
                  <Button
                    small
                    look="quiet"
                    busy={ending === session.id}
                    aria-label={t("End it: {device}", { device: deviceOf(session, texts) })}
                    onClick={() =>
                      void end(
                        session.id,
                        () => revoke(session.id, { throwOnError: true }),
                        t("Session ended"),
                      )
                    }
                  >
                    {t("End it")}
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

function Described({ session }: { session: OwnSession }) {
  const texts = useTexts();
  const { t, language } = texts;
  const { isCurrent, createdAt, expiresAt, lastUsedAt } = session;
  const way = wayIn(session, texts);
  return (
    <div>
      <p className="row">
        <strong>
          <bdi>{deviceOf(session, texts)}</bdi>
        </strong>
        {isCurrent && <span className="tag">{t("This one")}</span>}
      </p>
      <p className="soft small session-facts">
        {createdAt && (
          <span>
            {t("signed in")} <Moment at={createdAt} /> {way}
          </span>
        )}
        {lastUsedAt && (
          <span>
            {isCurrent ? (
              t("in use now")
            ) : (
              <>
                {t("last used")} <Moment at={lastUsedAt} />
              </>
            )}
          </span>
        )}
        {expiresAt && (
          <span>
            {t("ends on {day}", { day: expiresAt.toLocaleDateString(language, { dateStyle: "medium" }) })}
          </span>
        )}
      </p>
    </div>
  );
}
