import type { StudioBackup, StudioBackupState } from "@purse/protocol";
import { Download } from "lucide-react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Moment } from "../../../design/Moment.tsx";
import { Notice } from "../../../design/Status.tsx";
import { EmptyState, ErrorState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { bytes } from "../parts/fields.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";

const EVERY_MS = 1_000;

/** Copies of the database: made while the server runs, fetched, and how they are put back. */
export function Backup() {
  const { t } = useTexts();
  const studio = useStudio();
  const may = useMay("owner");
  const state = useAnswer<StudioBackupState>("/backups", { every: EVERY_MS, enabled: may });
  const begin = useChange(() => studio.post("/backups"), t("The backup has begun."));
  return (
    <Room
      title={t("Backup")}
      about={t("A whole copy of the database, made while the server goes on.")}
      changes="owner"
      actions={
        <Button
          look="primary"
          disabled={!may}
          busy={begin.isPending || state.data?.isRunning === true}
          onClick={() => begin.mutate()}
        >
          {t("Make a backup")}
        </Button>
      }
    >
      {begin.error && <ErrorState error={begin.error} />}
      {may && (
        <Section title={t("Backups")}>
          <Answered answer={state} label={t("Loading the backups")}>
            {(data) => (
              <>
                <Progress {...data} />
                <BackupTable backups={data.backups} />
              </>
            )}
          </Answered>
        </Section>
      )}
      <HowToRestore />
    </Room>
  );
}

function Progress({ isRunning, pages, error }: StudioBackupState) {
  const { t, language } = useTexts();
  return (
    <>
      <p role="status" className="number">
        {isRunning
          ? t("A backup is being made: {n} pages so far.", {
              n: new Intl.NumberFormat(language).format(pages),
            })
          : t("No backup is being made.")}
      </p>
      {isRunning && (
        <div className="progress" role="progressbar" aria-label={t("Backup")}>
          <span className="portion unknown" />
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

function BackupTable({ backups }: { backups: readonly StudioBackup[] }) {
  const { t, language } = useTexts();
  const studio = useStudio();
  return (
    <Table
      caption={t("Backups")}
      rows={backups}
      keyOf={({ file }) => file}
      empty={
        <EmptyState title={t("There is no backup yet")}>
          {t("A copy elsewhere than on this machine is what saves you when the machine is lost.")}
        </EmptyState>
      }
      columns={[
        { key: "file", label: t("File"), cell: ({ file }) => <code className="cut">{file}</code> },
        { key: "size", label: t("Size"), number: true, cell: ({ sizeBytes }) => bytes(sizeBytes, language) },
        { key: "at", label: t("Made"), cell: ({ createdAt }) => <Moment at={createdAt} /> },
        {
          key: "fetch",
          label: <span className="visually-hidden">{t("Actions")}</span>,
          number: true,
          cell: ({ file }) => (
            <a
              className="button small"
              href={studio.urlOf(`/backups/${encodeURIComponent(file)}`)}
              download={file}
              aria-label={t("Download {name}", { name: file })}
            >
              <Download size={15} aria-hidden="true" />
              {t("Download")}
            </a>
          ),
        },
      ]}
    />
  );
}

function HowToRestore() {
  const { t } = useTexts();
  return (
    <Section title={t("How to put a backup back")}>
      <ol className="numbered">
        <li>{t("Stop the server: nobody may write while its database is replaced.")}</li>
        <li>
          {t("Put the copy in its place, on the machine of the server:")}
          <Code label={t("Command")} text="npm run purse -- restore --in purse-….sqlite --force" />
        </li>
        <li>{t("Start the server. What was written after the backup is gone.")}</li>
      </ol>
      <p className="soft">
        {t(
          "A PostgreSQL database is copied by pg_dump and put back by pg_restore. Uploaded files are in the data folder beside the database: copy it too.",
        )}
      </p>
    </Section>
  );
}
