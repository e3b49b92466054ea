import { Field } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import { RowPicker } from "./RowPicker.tsx";

/** Edits a pointer by id or by searching the row. */
export function PointerEditor({ field, text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        label={t("ID")}
        value={text}
        problem={parsed.problem}
        hint={t("Leave empty to remove the value.")}
        isCode
        onChange={(event) => onText(event.target.value)}
      />
      {field.targetClass !== undefined && (
        <RowPicker
          className={field.targetClass}
          chosen={text.trim()}
          onChoose={({ objectId }) => onText(String(objectId))}
        />
      )}
    </>
  );
}
