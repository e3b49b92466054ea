import type { StudioBackup } from "@purse/server/studio-api";
import { EmptyState, formatBytes, RelativeTime, Table, useTranslation } from "@purse/ui";
import { Download } from "lucide-react";
import { ConfirmButton } from "../../components/DialogButton.tsx";
import { useStudio } from "../../StudioContext.tsx";

const ORIGINS: Readonly<Record<StudioBackup["origin"], string>> = {
  made: "Manual",
  scheduled: "Scheduled",
  uploaded: "Uploaded",
  beforeRestore: "Automatic, before restore",
};

export interface BackupTableProps {
  backups: readonly StudioBackup[];
  canRestore: boolean;
}

export function BackupTable({ backups, canRestore }: BackupTableProps) {
  const { t, language } = useTranslation();
  const studio = useStudio();
  return (
    <Table
      caption={t("Backups")}
      rows={backups}
      rowKey={({ file }) => file}
      empty={
        <EmptyState title={t("No backups yet")}>
          {t("Store a copy on another machine to protect against losing this one.")}
        </EmptyState>
      }
      columns={[
        {
          label: t("Created"),
          cell: ({ file, createdAt }) => (
            <span title={file}>
              <RelativeTime at={createdAt} />
            </span>
          ),
        },
        { label: t("Origin"), cell: ({ origin }) => t(ORIGINS[origin]) },
        { label: t("File"), hideOnPhone: true, cell: ({ file }) => <code className="cut">{file}</code> },
        { label: t("Size"), number: true, cell: ({ sizeBytes }) => formatBytes(sizeBytes, language) },
      ]}
      actions={({ file }) => (
        <span className="actions">
          <a
            className="button small"
            href={studio.urlOf("/backups/:file", { file })}
            download={file}
            aria-label={t("Download {name}", { name: file })}
          >
            <Download size={15} aria-hidden="true" />
            <span className="wide-only">{t("Download")}</span>
          </a>
          <ConfirmButton
            small
            disabled={!canRestore}
            aria-label={t("Restore {name}", { name: file })}
            label={t("Restore")}
            confirm={{
              title: t("Restore this backup?"),
              description: t(
                "Restores {file}. Changes made since then are removed, and users who signed in since then are signed out. The server restarts and is unavailable meanwhile. The current database is saved as a backup.",
                { file },
              ),
              confirmLabel: t("Restore"),
              confirmationText: CONFIRMATION_TEXT,
              danger: true,
            }}
            run={(studio) => studio.post("/backups/:file/restore", { file })}
          />
          <ConfirmButton
            small
            variant="danger"
            aria-label={t("Delete {name}", { name: file })}
            label={t("Delete")}
            confirm={{
              title: t("Delete {name}?", { name: file }),
              description: t("This can't be undone."),
              confirmLabel: t("Delete"),
              danger: true,
            }}
            run={(studio) => studio.delete("/backups/:file", { file })}
            successMessage={t("Backup deleted")}
          />
        </span>
      )}
    />
  );
}

const CONFIRMATION_TEXT = "restore";
