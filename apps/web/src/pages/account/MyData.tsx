import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Button,
  downloadFile,
  ErrorState,
  QueryState,
  Skeleton,
  useAction,
  useToast,
  useTranslation,
} from "@purse/ui";
import { useClasses } from "../data/useClasses.ts";
import { exportData, searchableClasses } from "./ownRecords.ts";

/** Exports the user's data. */
export function MyData({ user }: { user: User }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const listed = useClasses();
  const { run, busy, error } = useAction(async (classes: readonly string[]) => {
    const text = await exportData(Moralis, user, classes);
    downloadFile(`my-data-${new Date().toISOString().slice(0, 10)}.json`, text, "application/json");
    toast(t("Data exported"));
  });
  return (
    <section className="card stack" aria-labelledby="export">
      <h2 id="export">{t("Export my data")}</h2>
      <p>{t("Your profile, wallets, sessions and editable records as JSON.")}</p>
      <QueryState query={listed} label={t("Loading classes")} skeleton={<Skeleton height="4.5rem" />}>
        {(known) => {
          const classes = searchableClasses(known ?? []);
          return (
            <>
              <p className="soft small">
                {t("Classes included: {classes}.", { classes: classes.join(", ") })}
              </p>
              {error !== undefined && <ErrorState error={error} />}
              <div>
                <Button variant="primary" busy={busy} onClick={() => run(classes)}>
                  {t("Export my data")}
                </Button>
              </div>
            </>
          );
        }}
      </QueryState>
    </section>
  );
}
