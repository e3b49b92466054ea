import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, downloadFile, ErrorState, QueryState, Skeleton, useToast, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useClasses } from "../data/useClasses.ts";
import { exportData, searchableClasses } from "./ownRecords.ts";

/** Exports the user's data. */
export function MyData({ user }: { user: User }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const listed = useClasses();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function download(classes: readonly string[]) {
    setBusy(true);
    setError(undefined);
    try {
      const text = await exportData(Moralis, user, classes);
      downloadFile(`my-data-${new Date().toISOString().slice(0, 10)}.json`, text, "application/json");
      toast(t("Data exported"));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  }
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
                <Button variant="primary" busy={busy} onClick={() => void download(classes)}>
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
