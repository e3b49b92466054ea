import { TextArea } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";

/** Several lines: JSON that says while it is none, or a text as it is. */
export function JsonEditor({ column, text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const isText = column.type === "String";
  return (
    <div className={isText ? "" : "mono-field"}>
      <TextArea
        label={isText ? t("Text") : t("JSON")}
        value={text}
        problem={read.problem}
        hint={isText ? undefined : t("Empty takes the value away.")}
        spellCheck={isText}
        autoComplete="off"
        rows={isText ? 6 : 12}
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  );
}
