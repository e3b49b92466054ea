import { isJsonObject } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../../design/Button.tsx";
import { ErrorState } from "../../../../design/states.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../../StudioContext.tsx";
import type { EditorProps } from "./editor.ts";
import { FileInput } from "./FileInput.tsx";
import { base64Of } from "./fileBytes.ts";

/** A file: the one that is there, or another one, which is uploaded at once and kept by the row when that is saved. */
export function FileEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [given, setGiven] = useState("");
  const upload = useMutation({
    async mutationFn(file: File) {
      setGiven(file.name);
      const body = { name: file.name, base64: await base64Of(file), contentType: file.type };
      return studio.post<{ name: string; url: string }>("/files", body);
    },
    onSuccess: ({ name, url }) => onText(JSON.stringify({ __type: "File", name, url })),
  });
  const value = read.problem === undefined && isJsonObject(read.value) ? read.value : undefined;
  const url = typeof value?.url === "string" && /^https?:/.test(value.url) ? value.url : undefined;
  return (
    <>
      <p role="status">
        {upload.isPending ? (
          t("{name} is on its way", { name: given })
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
          t("There is no file.")
        )}
      </p>
      <FileInput
        label={t("Upload another one")}
        disabled={upload.isPending}
        onFile={(file) => upload.mutate(file)}
      />
      {upload.error && <ErrorState error={upload.error} />}
      {text !== "" && (
        <div className="row">
          <Button small onClick={() => onText("")}>
            {t("Take the file away")}
          </Button>
        </div>
      )}
    </>
  );
}
