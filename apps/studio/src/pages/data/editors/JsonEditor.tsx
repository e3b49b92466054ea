import { TextArea, useTranslation } from "@purse/ui";
import type { EditorProps } from "./editor.ts";

/** Edits JSON or long text. */
export function JsonEditor({ column, text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const isText = column.type === "String";
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
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  );
}
