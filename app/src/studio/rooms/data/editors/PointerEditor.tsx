import { Field } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import { RowPicker } from "./RowPicker.tsx";

/** A pointer: by id, or by looking for the row. */
export function PointerEditor({ column, text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field
        label={t("Id")}
        value={text}
        problem={read.problem}
        hint={t("Empty takes the value away.")}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onText(event.target.value)}
      />
      {column.targetClass !== undefined && (
        <RowPicker
          className={column.targetClass}
          chosen={text.trim()}
          onChoose={({ objectId }) => onText(String(objectId))}
        />
      )}
    </>
  );
}
