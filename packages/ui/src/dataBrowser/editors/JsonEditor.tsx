import { TextArea } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editorProps.ts";

/** Edits JSON or long text. */
export function JsonEditor({ field, text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const isText = field.type === "String";
  return (
    <div className={isText ? "" : "mono-field"}>
      <TextArea
        label={isText ? t("Text") : t("JSON")}
        value={text}
        problem={parsed.problem}
        hint={isText ? undefined : t("Leave empty to remove the value.")}
        spellCheck={isText}
        autoComplete="off"
        rows={isText ? 6 : 12}
        onText={onText}
      />
    </div>
  );
}
