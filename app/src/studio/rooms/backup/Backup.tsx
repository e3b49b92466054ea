import type { StudioBackupState } from "@purse/protocol";
import { Upload } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Notice } from "../../../design/Status.tsx";
import { EmptyState, ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { BackupTable } from "./BackupTable.tsx";
import { Portion } from "./Portion.tsx";
import { Restoring } from "./Restoring.tsx";
import { UploadBackup } from "./UploadBackup.tsx";

const EVERY_MS = 1_000;

/** Copies of the database: made while the server runs, fetched, brought from elsewhere, put back. */
export function Backup() {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("owner");
  const state = useAnswer<StudioBackupState>("/backups", { every: EVERY_MS, enabled: may });
  const begin = useChange(() => studio.post("/backups"), t("The backup has begun."));
  const [isBringing, setBringing] = useState(false);
  const { data } = state;
  const isBusy = data?.restoring !== undefined;
  return (
    <Room
      title={t("Backup")}
      about={t("A whole copy of the database, made while the server goes on.")}
      changes="owner"
      actions={
        <>
          <Button disabled={!may || !data?.canBackUp || isBusy} onClick={() => setBringing(true)}>
            <Upload size={16} aria-hidden="true" />
            {t("Upload a backup")}
          </Button>
          <Button
            variant="primary"
            disabled={!may || !data?.canBackUp || isBusy}
            busy={begin.isPending || data?.isRunning === true}
            onClick={() => begin.mutate()}
          >
            {t("Make a backup")}
          </Button>
        </>
      }
    >
      {begin.error && <ErrorState error={begin.error} />}
      {may ? (
        <>
          <Restoring state={data} isAway={state.error !== null} />
          {isBusy ? null : (
            <Section title={t("Backups")}>
              <Answered answer={state} label={t("Loading the backups")}>
                {(told) => (
                  <>
                    <Making {...told} />
                    <BackupTable backups={told.backups} canRestore={told.canRestore} />
                  </>
                )}
              </Answered>
            </Section>
          )}
        </>
      ) : (
        <EmptyState title={t("Backups are for owners")}>
          {t("A backup has everything in it, sessions and password hashes too.")}
        </EmptyState>
      )}
      <GoodToKnow canBackUp={data?.canBackUp ?? true} />
      {isBringing && <UploadBackup onClose={() => setBringing(false)} />}
    </Room>
  );
}

function Making({ isRunning, pages, totalPages, error }: StudioBackupState) {
  const { t, language } = useTranslation();
  const number = new Intl.NumberFormat(language);
  const percent = totalPages > 0 ? pages / totalPages : undefined;
  return (
    <>
      {isRunning && (
        <div className="stack" role="status">
          <p className="number">
            {percent === undefined
              ? t("A backup is being made.")
              : percent < 1
                ? t("A backup is being made: {n} of {all} pages.", {
                    n: number.format(pages),
                    all: number.format(totalPages),
                  })
                : t("The backup is whole; it is being checked.")}
          </p>
          <Portion label={t("Backup")} of={percent} />
        </div>
      )}
      {error !== undefined && (
        <Notice kind="danger" title={t("The last backup failed")}>
          <bdi>{error}</bdi>
        </Notice>
      )}
    </>
  );
}

function GoodToKnow({ canBackUp }: { canBackUp: boolean }) {
  const { t } = useTranslation();
  if (!canBackUp) {
    return (
      <Section title={t("This database is backed up by its own tools")}>
        <p className="soft">
          {t("pg_dump copies a PostgreSQL database while it runs, and pg_restore puts the copy back.")}
        </p>
        <Code label={t("Command")} text="pg_dump --format=custom --file=purse.dump DATABASE" />
      </Section>
    );
  }
  return (
    <Section title={t("Good to know")}>
      <ul className="numbered">
        <li>
          {t(
            "While a backup is put back the server goes on; at the end it stops for some seconds and starts again with it. Where anything fails, everything is as it was.",
          )}
        </li>
        <li>
          {t(
            "What was there before is kept as a backup of its own. Operators and the audit trail stay as they are now.",
          )}
        </li>
        <li>{t("Uploaded files are in the data folder beside the database: copy it too.")}</li>
        <li>
          {t("Without the studio, on the machine of the server while it is stopped:")}
          <Code label={t("Command")} text="npm run purse -- restore --in purse-….sqlite --force" />
        </li>
      </ul>
    </Section>
  );
}
