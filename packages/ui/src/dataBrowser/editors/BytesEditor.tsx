import { Code } from "../../components/Code.tsx";
import { TextArea } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editorProps.ts";
import { FileInput } from "./FileInput.tsx";
import { hexDump, toBase64 } from "./fileBytes.ts";

/** Edits Bytes as base64 or from a file, with a hex dump. */
export function BytesEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const dump = text.trim() !== "" && parsed.problem === undefined ? hexDump(text.trim()) : undefined;
  return (
    <>
      <div className="mono-field">
        <TextArea
          label={t("Base64")}
          hint={t("Leave empty to remove the value.")}
          rows={5}
          value={text}
          problem={parsed.problem}
          spellCheck={false}
          onText={onText}
        />
      </div>
      <FileInput label={t("Or choose a file")} onFile={async (file) => onText(await toBase64(file))} />
      {dump !== undefined && <Code label={t("First bytes")} text={dump} />}
    </>
  );
}
