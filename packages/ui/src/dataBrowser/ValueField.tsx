import { useState } from "react";
import { Button } from "../components/Button.tsx";
import { Field } from "../components/Field.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import type { DataField } from "./fields.ts";
import { isInline } from "./isInline.ts";
import { editableText, splitPointer } from "./parseValue.ts";
import { ValueDialog } from "./ValueDialog.tsx";

export interface ValueFieldProps {
  field: DataField;
  text: string;
  /** Shown instead of the text, which then is only edited in the dialog. */
  shownText?: string;
  problem: string | undefined;
  onText: (text: string) => void;
}

/** An input for a value as text, with the editor of its type in a dialog. */
export function ValueField({ field, text, shownText, problem, onText }: ValueFieldProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Field
        label={field.name}
        hint={field.targetClass ?? field.type}
        value={shownText ?? text}
        readOnly={shownText !== undefined}
        problem={problem}
        onText={onText}
        autoComplete="off"
        after={
          !isInline(field) && (
            // Not an `aria-label`, which would name it like the input.
            <Button title={t("Choose {name}", { name: field.name })} onClick={() => setOpen(true)}>
              {t("Choose")}
            </Button>
          )
        }
      />
      {isOpen && (
        <ValueDialog
          field={field}
          value={undefined}
          // The class is known, so the ID is enough.
          initialText={field.targetClass === undefined ? text : splitPointer(text, field).objectId}
          onDone={(value) => {
            onText(editableText(value, field));
            setOpen(false);
          }}
          onCancel={() => setOpen(false)}
        />
      )}
    </>
  );
}
