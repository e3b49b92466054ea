import type { StudioBackup } from "@purse/protocol";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { bytes } from "../parts/fields.ts";
import { TypedAsk } from "../parts/TypedAsk.tsx";

const ORIGINS: Readonly<Record<StudioBackup["origin"], string>> = {
  made: "Made here",
  uploaded: "Uploaded",
  beforeRestore: "What was there before a restore",
};

export interface BackupTableProps {
  backups: readonly StudioBackup[];
  canRestore: boolean;
}

export function BackupTable({ backups, canRestore }: BackupTableProps) {
  const { t, language } = useTranslation();
  const studio = useStudio();
  const [asked, setAsked] = useState<{ what: "restore" | "remove"; file: string } | undefined>(undefined);
  const pathOf = (file: string) => `/backups/${encodeURIComponent(file)}`;
  const restore = useChange((file: string) => studio.post(`${pathOf(file)}/restore`));
  const remove = useChange((file: string) => studio.delete(pathOf(file)), t("The backup is gone."));
  const close = () => {
    restore.reset();
    remove.reset();
    setAsked(undefined);
  };
  return (
    <>
      <Table
        caption={t("Backups")}
        rows={backups}
        rowKey={({ file }) => file}
        empty={
          <EmptyState title={t("There is no backup yet")}>
            {t("A copy elsewhere than on this machine is what saves you when the machine is lost.")}
          </EmptyState>
        }
        columns={[
          {
            key: "at",
            label: t("Made"),
            cell: ({ file, createdAt }) => (
              <span title={file}>
                <RelativeTime at={createdAt} />
              </span>
            ),
          },
          {
            key: "origin",
            label: t("Origin"),
            cell: ({ origin }) => t(ORIGINS[origin]),
          },
          {
            key: "file",
            label: t("File"),
            hideOnPhone: true,
            cell: ({ file }) => <code className="cut">{file}</code>,
          },
          {
            key: "size",
            label: t("Size"),
            number: true,
            cell: ({ sizeBytes }) => bytes(sizeBytes, language),
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: ({ file }) => (
              <span className="actions">
                <a
                  className="button small"
                  href={studio.urlOf(pathOf(file))}
                  download={file}
                  aria-label={t("Download {name}", { name: file })}
                >
                  <Download size={15} aria-hidden="true" />
                  <span className="wide-only">{t("Download")}</span>
                </a>
                <Button
                  small
                  disabled={!canRestore}
                  aria-label={t("Put {name} back", { name: file })}
                  onClick={() => setAsked({ what: "restore", file })}
                >
                  {t("Put back")}
                </Button>
                <Button
                  small
                  variant="danger"
                  aria-label={t("Delete {name}", { name: file })}
                  onClick={() => setAsked({ what: "remove", file })}
                >
                  {t("Delete")}
                </Button>
              </span>
            ),
          },
        ]}
      />
      {asked?.what === "restore" && (
        <TypedAsk
          title={t("Put this backup back?")}
          about={t(
            "{file}: everything that was written since it was made leaves the database, and sessions of users that began since are over. The server stops for some seconds. What is there now is kept as a backup.",
            { file: asked.file },
          )}
          verb={t("Put it back")}
          word={WORD}
          busy={restore.isPending}
          error={restore.error}
          onClose={close}
          onDo={() => restore.mutate(asked.file, { onSuccess: close })}
        />
      )}
      <Ask
        open={asked?.what === "remove"}
        onClose={close}
        title={t("Delete {name}?", { name: asked?.file ?? "" })}
        about={t("There is no way back.")}
        verb={t("Delete")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => asked && remove.mutate(asked.file, { onSuccess: close })}
      />
    </>
  );
}

const WORD = "restore";
