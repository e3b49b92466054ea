import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Checkbox } from "../../design/Choice.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Field } from "../../design/Field.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { ErrorState, Skeleton } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useListedClasses } from "../data/useListedClasses.ts";
import { classesOfMine, isOnlyOf, ownRecords } from "./ownRecords.ts";
import { textOf } from "./textOf.ts";

/** Deletes the account, after its name was typed. */
export function Leaving({ user }: { user: User }) {
  const { t } = useTexts();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section className="card stack" aria-labelledby="leaving">
      <h2 id="leaving">{t("Delete my account")}</h2>
      <p>{t("For good: nobody can bring it back, operators neither.")}</p>
      <div>
        <Button look="danger" onClick={() => setIsAsking(true)}>
          {t("Delete my account…")}
        </Button>
      </div>
      {isAsking && <Confirm user={user} onClose={() => setIsAsking(false)} />}
    </section>
  );
}

/** All classes are looked through. */
const COUNTING_MS = 60_000;

function Confirm({ user, onClose }: { user: User; onClose: () => void }) {
  const { t, count } = useTexts();
  const { Moralis } = useMoralis();
  const navigate = useNavigate();
  const toast = useToast();
  const [typed, setTyped] = useState("");
  const [withRecords, setWithRecords] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const username = textOf(user.get("username"));
  const listed = useListedClasses();
  // Without the list of classes some of the records would be missed.
  const classes = listed.data === undefined ? undefined : classesOfMine(listed.data ?? []);
  const counted = useServerQuery({
    key: classes && ["own records", user.id, classes],
    read: async () => (await onlyMine(classes ?? [])).length,
    timeoutMs: COUNTING_MS,
    isFresh: true,
  });
  const records =
    listed.error !== null && listed.data === undefined ? { ...counted, ...listed, data: undefined } : counted;
  const isUnknown = withRecords && records.data === undefined;

  async function onlyMine(of: readonly string[]) {
    const found = await ownRecords(Moralis, user, of);
    return [...found.values()].flat().filter((each) => isOnlyOf(each, user));
  }

  async function leave(event: FormEvent) {
    event.preventDefault();
    if (typed !== username || isUnknown) return;
    setBusy(true);
    setError(undefined);
    try {
      if (withRecords) await Moralis.Object.destroyAll(await onlyMine(classes ?? []));
      await user.destroy();
      // The session went with the account: there is nothing to tell the server any more.
      await Moralis.User.logOut({ sessionToken: "" });
      toast(t("Your account is deleted"));
      await navigate({ to: "/", search: {} });
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  }

  return (
    <Dialog open onClose={onClose} title={t("Delete your account?")} about={t("This cannot be undone.")}>
      <form className="stack" onSubmit={(event) => void leave(event)} noValidate>
        <p>{t("These go:")}</p>
        <ul className="goes">
          <li>{t("the profile, with the name, the e-mail address and all its fields")}</li>
          <li>{t("all sessions, on every device")}</li>
          <li>{t("the links to your wallets; what they hold stays theirs")}</li>
          {withRecords && (
            <li>
              <QueryState
                query={records}
                label={t("Counting your records")}
                skeleton={<Skeleton width="16rem" />}
              >
                {(n) => count(n, "{n} record that only you may write", "{n} records that only you may write")}
              </QueryState>
            </li>
          )}
        </ul>
        <Checkbox
          label={t("Also delete the records that only I may write")}
          checked={withRecords}
          onChange={setWithRecords}
        />
        <p className="soft small">
          {t("What you put into IPFS, and files whose link others have, may stay readable.")}
        </p>
        <Field
          label={t("Type your username to confirm: {username}", { username })}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
        />
        {error !== undefined && <ErrorState error={error} />}
        <div>
          <Button type="submit" look="danger" busy={busy} disabled={typed !== username || isUnknown}>
            {t("Delete for good")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
