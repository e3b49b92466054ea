import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, Checkbox, MutationDialog, QueryState, Skeleton, useToast, useTranslation } from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { stringField } from "../../components/stringField.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { isRandomUsername } from "../../wallet/userNames.ts";
import { useClasses } from "../data/useClasses.ts";
import { isExclusiveTo, ownRecords, searchableClasses } from "./ownRecords.ts";

/** Deletes the account after typed confirmation. */
export function DeleteAccount({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <section className="card stack" aria-labelledby="leaving">
      <h2 id="leaving">{t("Delete my account")}</h2>
      <p>{t("Permanent. Not even an operator can undo this.")}</p>
      <div>
        <Button variant="danger" onClick={() => setDialogOpen(true)}>
          {t("Delete my account…")}
        </Button>
      </div>
      {isDialogOpen && <DeleteAccountDialog user={user} onClose={() => setDialogOpen(false)} />}
    </section>
  );
}

/** Counting reads all classes. */
const COUNT_TIMEOUT_MS = 60_000;

function DeleteAccountDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const navigate = useNavigate();
  const toast = useToast();
  const [withRecords, setWithRecords] = useState(true);
  const username = stringField(user.get("username"));
  const listed = useClasses();
  // Without the list of classes some records would be missed.
  const classes = listed.data === undefined ? undefined : searchableClasses(listed.data ?? []);
  const counted = useServerQuery({
    queryKey: classes && ["own records", user.id, classes],
    queryFn: async () => (await findExclusiveRecords(classes ?? [])).length,
    timeoutMs: COUNT_TIMEOUT_MS,
    isUncached: true,
  });
  const records =
    listed.error !== null && listed.data === undefined ? { ...counted, ...listed, data: undefined } : counted;
  const isUnknown = withRecords && records.data === undefined;

  async function findExclusiveRecords(of: readonly string[]) {
    const found = await ownRecords(Moralis, user, of);
    return [...found.values()].flat().filter((each) => isExclusiveTo(each, user));
  }

  const removal = useMutation({
    async mutationFn() {
      if (withRecords) await Moralis.Object.destroyAll(await findExclusiveRecords(classes ?? []));
      await user.destroy();
      // The session was deleted with the account, so the server is not called.
      await Moralis.User.logOut({ sessionToken: "" });
      toast(t("Account deleted"));
      await navigate({ to: "/", search: {} });
    },
  });

  return (
    <MutationDialog
      onClose={onClose}
      title={t("Delete your account?")}
      description={t("This cannot be undone.")}
      confirmLabel={t("Delete permanently")}
      danger
      mutation={removal}
      confirmationText={isRandomUsername(username) ? t("delete") : username}
      disabled={isUnknown}
    >
      <p>{t("This will be deleted:")}</p>
      <ul className="goes">
        <li>{t("your profile, including username, email and all fields")}</li>
        <li>{t("all sessions on every device")}</li>
        <li>{t("links to your wallets (their assets are not affected)")}</li>
        {withRecords && (
          <li>
            <QueryState
              query={records}
              label={t("Counting your records")}
              skeleton={<Skeleton width="16rem" />}
            >
              {(n) =>
                t(
                  "{n, plural, one {# record that only you can edit} other {# records that only you can edit}}",
                  { n },
                )
              }
            </QueryState>
          </li>
        )}
      </ul>
      <Checkbox
        label={t("Also delete records that only I can edit")}
        checked={withRecords}
        onChange={setWithRecords}
      />
      <p className="soft small">
        {t("Files on IPFS, and files whose link others have, may remain accessible.")}
      </p>
    </MutationDialog>
  );
}
