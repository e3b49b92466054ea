import { ConfirmDialog, FileInput, formatBytes, useTranslation } from "@purse/ui";
import { useRef, useState } from "react";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { ProgressBar } from "./ProgressBar.tsx";

/** Uploads a backup in chunks; the server verifies it before listing it. */
export function UploadBackup({ onClose }: { onClose: () => void }) {
  const { t, language } = useTranslation();
  const [file, setFile] = useState<File | undefined>(undefined);
  const [sent, setSent] = useState(0);
  const controller = useRef(new AbortController());
  const upload = useStudioMutation(async (studio, from: File) => {
    setSent(0);
    const { id, pieceBytes } = await studio.post("/backup-uploads", { sizeBytes: from.size });
    for (let offset = 0; offset < from.size; ) {
      const chunk = from.slice(offset, offset + pieceBytes);
      const { received } = await studio.putBytes(
        "/backup-uploads/:id",
        { id, offset },
        chunk,
        controller.current.signal,
      );
      offset = received;
      setSent(received);
    }
    return studio.post("/backup-uploads/:id/finish", { id });
  }, t("Backup uploaded. You can restore it now."));
  function close(): void {
    controller.current.abort();
    onClose();
  }
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t("Upload backup")}
      description={t(
        "Choose a backup created on this page or with npm run purse -- backup. Uploading does not restore it.",
      )}
      confirmLabel={t("Upload")}
      busy={upload.isPending}
      error={upload.error}
      disabled={!file}
      onConfirm={() => file && upload.mutate(file, { onSuccess: onClose })}
    >
      <FileInput
        label={t("File")}
        accept=".sqlite,.db,.gz,application/vnd.sqlite3,application/gzip"
        disabled={upload.isPending}
        onFile={(chosen) => {
          upload.reset();
          setFile(chosen);
        }}
      />
      {upload.isPending && file && (
        <div className="stack" role="status">
          <p className="number">
            {sent < file.size
              ? t("{n} of {all}", { n: formatBytes(sent, language), all: formatBytes(file.size, language) })
              : t("Upload complete, verifying…")}
          </p>
          <ProgressBar label={t("Upload")} value={sent < file.size ? sent / file.size : undefined} />
        </div>
      )}
    </ConfirmDialog>
  );
}
