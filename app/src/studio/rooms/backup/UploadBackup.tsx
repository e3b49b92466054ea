import { useRef, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { bytes } from "../parts/fields.ts";
import { Portion } from "./Portion.tsx";

/** Brings a backup from this machine, a piece at a time; it is checked before it is one of the backups. */
export function UploadBackup({ onClose }: { onClose: () => void }) {
  const { t, language } = useTranslation();
  const studio = useStudio();
  const [file, setFile] = useState<File | undefined>(undefined);
  const [sent, setSent] = useState(0);
  const left = useRef(new AbortController());
  const upload = useChange(async (from: File) => {
    setSent(0);
    const { id, pieceBytes } = await studio.post<{ id: string; pieceBytes: number }>("/backup-uploads", {
      sizeBytes: from.size,
    });
    for (let offset = 0; offset < from.size; ) {
      const piece = from.slice(offset, offset + pieceBytes);
      const { received } = await studio.putBytes<{ received: number }>(
        `/backup-uploads/${id}?offset=${offset}`,
        piece,
        left.current.signal,
      );
      offset = received;
      setSent(received);
    }
    return studio.post(`/backup-uploads/${id}/finish`);
  }, t("The backup is here: put it back when you want."));
  function close(): void {
    left.current.abort();
    onClose();
  }
  return (
    <Ask
      open
      onClose={close}
      title={t("Upload a backup")}
      about={t("A file that this room, or npm run purse -- backup, has made. Nothing is put back yet.")}
      verb={t("Upload")}
      busy={upload.isPending}
      error={upload.error}
      disabled={!file}
      onDo={() => file && upload.mutate(file, { onSuccess: onClose })}
    >
      <label className="field">
        <span>{t("File")}</span>
        <input
          type="file"
          accept=".sqlite,.db,application/vnd.sqlite3"
          disabled={upload.isPending}
          onChange={(event) => {
            upload.reset();
            setFile(event.target.files?.[0]);
          }}
        />
      </label>
      {upload.isPending && file && (
        <div className="stack" role="status">
          <p className="number">
            {sent < file.size
              ? t("{n} of {all}", { n: bytes(sent, language), all: bytes(file.size, language) })
              : t("All of it is there; it is being checked.")}
          </p>
          <Portion label={t("Upload")} of={sent < file.size ? sent / file.size : undefined} />
        </div>
      )}
    </Ask>
  );
}
