import { Code } from "../../../../design/Code.tsx";
import { TextArea } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import { FileInput } from "./FileInput.tsx";
import { base64Of, dumpOf } from "./fileBytes.ts";

/** Bytes: as base64 or of a file, and what they say. */
export function BytesEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const dump = text.trim() !== "" && read.problem === undefined ? dumpOf(text.trim()) : undefined;
  return (
    <>
      <div className="mono-field">
        <TextArea
          label={t("Base64")}
          hint={t("Empty takes the value away.")}
          rows={5}
          value={text}
          problem={read.problem}
          spellCheck={false}
          onChange={(event) => onText(event.target.value)}
        />
      </div>
      <FileInput label={t("Or of a file")} onFile={async (file) => onText(await base64Of(file))} />
      {dump !== undefined && <Code label={t("The first bytes")} text={dump} />}
    </>
  );
}
