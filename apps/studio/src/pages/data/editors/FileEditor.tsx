import { isJsonObject } from "@purse/protocol";
import { Button, ErrorState, useTranslation } from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useStudio } from "../../../StudioContext.tsx";
import type { EditorProps } from "./editor.ts";
import { FileInput } from "./FileInput.tsx";
import { toBase64 } from "./fileBytes.ts";

/** Edits a File. A selected file is uploaded immediately and referenced when the row is saved. */
export function FileEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [fileName, setFileName] = useState("");
  const upload = useMutation({
    async mutationFn(file: File) {
      setFileName(file.name);
      const body = { name: file.name, base64: await toBase64(file), contentType: file.type };
      return studio.post("/files", body);
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
