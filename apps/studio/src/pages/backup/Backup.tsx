import type { StudioBackupState } from "@purse/server/studio-api";
import {
  Button,
  Code,
  EmptyState,
  ErrorState,
  formatNumber,
  Notice,
  QueryState,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { Upload } from "lucide-react";
import { DialogButton } from "../../components/DialogButton.tsx";
import { Page, Section } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { BackupTable } from "./BackupTable.tsx";
import { ProgressBar } from "./ProgressBar.tsx";
import { RestoreStatus } from "./RestoreStatus.tsx";
import { ScheduledBackups } from "./ScheduledBackups.tsx";
import { UploadBackup } from "./UploadBackup.tsx";

const REFETCH_INTERVAL_MS = 1_000;

/** Creates, downloads, uploads and restores database backups. */
export function Backup() {
  const { t } = useTranslation();
  const canEdit = useHasRole("owner");
  const state = useStudioQuery("/backups", {}, { refetchInterval: REFETCH_INTERVAL_MS, enabled: canEdit });
  const create = useStudioMutation((studio) => studio.post("/backups", {}), t("Backup started"));
  const { data } = state;
  const isBusy = data?.restoring !== undefined;
  return (
    <Page
      title={t("Backup")}
      description={t("Full copies of the database, created while the server is running")}
      editRole="owner"
      actions={
        <>
          <DialogButton
            icon={Upload}
            disabled={!canEdit || !data || isBusy}
            label={t("Upload backup")}
            dialog={(close) => <UploadBackup onClose={close} />}
          />
          <Button
            variant="primary"
            disabled={!canEdit || !data || isBusy}
            busy={create.isPending || data?.isRunning === true}
            onClick={() => create.mutate()}
          >
            {t("Create backup")}
          </Button>
        </>
      }
    >
      {create.error && <ErrorState error={create.error} />}
      {canEdit ? (
        <>
          <RestoreStatus state={data} isUnreachable={state.error !== null} />
          {data && !isBusy && <ScheduledBackups {...data} />}
          {!data && state.error === null && (
            // Takes the place of the schedule, so that nothing moves when it comes.
            <Section title={t("Scheduled backups")} actions={<Skeleton width="4rem" height="1.875rem" />}>
              <Skeleton height="1.5rem" />
            </Section>
          )}
          {isBusy ? null : (
            <Section title={t("Backups")}>
              <QueryState query={state} label={t("Loading backups…")}>
                {(backupState) => (
                  <>
                    <BackupProgress {...backupState} />
                    <BackupTable backups={backupState.backups} canRestore={backupState.canRestore} />
                  </>
                )}
              </QueryState>
            </Section>
          )}
        </>
      ) : (
        <EmptyState title={t("Only owners can manage backups")}>
          {t("A backup contains everything, including sessions and password hashes.")}
        </EmptyState>
      )}
      {data && <BackupNotes unit={data.unit} />}
    </Page>
  );
}

function BackupProgress({ isRunning, copied, total, unit, error }: StudioBackupState) {
  const { t, language } = useTranslation();
  const fraction = total > 0 ? copied / total : undefined;
  const counts = { n: formatNumber(copied, language), all: formatNumber(total, language) };
  return (
    <>
      {isRunning && (
        <div className="stack" role="status">
          <p className="number">
            {fraction === undefined
              ? t("Creating backup…")
              : unit === "rows"
                ? t("Creating backup: {n} of about {all} rows", counts)
                : fraction < 1
                  ? t("Creating backup: {n} of {all} pages", counts)
                  : t("Backup complete, verifying…")}
          </p>
          <ProgressBar label={t("Backup")} value={fraction} />
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

function BackupNotes({ unit }: Pick<StudioBackupState, "unit">) {
  const { t } = useTranslation();
  const isPostgres = unit === "rows";
  return (
    <Section title={t("Notes")}>
      <ul className="numbered">
        <li>
          {isPostgres
            ? t(
                "To restore a backup, the server stops, saves the current database as a backup and replaces it. It is unavailable until that is done, which takes longer for a large database. If anything fails, the current database is kept.",
              )
            : t(
                "To restore a backup, the server copies and verifies it while running, then restarts and is unavailable for a few seconds. If anything fails, the current database is kept.",
              )}
        </li>
        <li>
          {isPostgres
            ? t(
                "Stop the other servers that use the database first. Operators and the audit log are not affected.",
              )
            : t(
                "The current database is saved as a backup first. Operators and the audit log are not affected.",
              )}
        </li>
        <li>
          {isPostgres
            ? t(
                "Uploaded files and chain indexes are not part of a backup. Back up files separately; chain indexes are built again.",
              )
            : t(
                "Uploaded files are stored in the data directory next to the database. Back them up separately.",
              )}
        </li>
        <li>
          {t("To restore from the command line, stop the server and run:")}
          <Code
            label={t("Command")}
            text={`npm run purse -- restore --in purse-….${isPostgres ? "postgres.gz" : "sqlite"} --force`}
          />
        </li>
      </ul>
    </Section>
  );
}
