import { Field } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { splitPointer } from "../parseValue.ts";
import type { EditorProps } from "./editorProps.ts";
import { RowPicker } from "./RowPicker.tsx";

/** Edits a pointer by id or by searching the row. */
export function PointerEditor({ field, text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const { className, objectId: chosen } = splitPointer(text.trim(), field);
  return (
    <>
      <Field
        label={t("ID")}
        value={text}
        problem={parsed.problem}
        hint={t("Leave empty to remove the value.")}
        isCode
        onText={onText}
      />
      {className !== undefined && (
        <RowPicker
          {...{ className, chosen }}
          onChoose={({ objectId }) =>
            onText(field.targetClass === undefined ? `${className}:${objectId}` : String(objectId))
          }
        />
      )}
    </>
  );
}
