import { isJsonObject } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { ErrorState } from "../../components/ErrorState.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { useDataSource } from "../DataSource.ts";
import type { EditorProps } from "./editorProps.ts";
import { FileInput } from "./FileInput.tsx";

/** Edits a File. A selected file is uploaded immediately and referenced when the row is saved. */
export function FileEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const { uploadFile } = useDataSource();
  const [fileName, setFileName] = useState("");
  const upload = useMutation({
    mutationFn(file: File) {
      setFileName(file.name);
      return uploadFile(file);
    },
    onSuccess: ({ name, url }) => onText(JSON.stringify({ __type: "File", name, url })),
  });
  const value = parsed.problem === undefined && isJsonObject(parsed.value) ? parsed.value : undefined;
  const url = typeof value?.url === "string" && /^https?:/.test(value.url) ? value.url : undefined;
  return (
    <>
      <p role="status">
        {upload.isPending ? (
          t("Uploading {name}…", { name: fileName })
        ) : value ? (
          <>
            {t("File")}:{" "}
            {url === undefined ? (
              <bdi>{String(value.name)}</bdi>
            ) : (
              <a href={url} target="_blank" rel="noreferrer">
                <bdi>{String(value.name)}</bdi>
              </a>
            )}
          </>
        ) : (
          t("No file")
        )}
      </p>
      <FileInput
        label={t("Upload a file")}
        disabled={upload.isPending}
        onFile={(file) => upload.mutate(file)}
      />
      {upload.error && <ErrorState error={upload.error} />}
      {text !== "" && (
        <div className="row">
          <Button small onClick={() => onText("")}>
            {t("Remove file")}
          </Button>
        </div>
      )}
    </>
  );
}
