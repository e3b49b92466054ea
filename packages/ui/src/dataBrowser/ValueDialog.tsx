import type { JsonValue } from "@purse/protocol";
import { useState } from "react";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { editorOf, isWide } from "./dialogEditors.ts";
import type { DataField } from "./fields.ts";
import { editableText, parseValue } from "./parseValue.ts";

export interface ValueDialogProps {
  field: DataField;
  value: JsonValue | undefined;
  /** Invalid input to correct. */
  initialText?: string | undefined;
  onDone: (value: JsonValue) => void;
  onCancel: () => void;
}

/** Edits a value in a dialog with the editor of its type. */
export function ValueDialog({ field, value, initialText, onDone, onCancel }: ValueDialogProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => initialText ?? editableText(value, field));
  const parsed = parseValue(text, field);
  const Editor = editorOf(field);
  return (
    <ConfirmDialog
      open
      onClose={onCancel}
      title={field.name}
      description={field.targetClass ?? field.type}
      confirmLabel={t("Apply")}
      disabled={parsed.problem !== undefined}
      wide={isWide(field)}
      onConfirm={() => parsed.problem === undefined && onDone(parsed.value)}
    >
      <Editor field={field} text={text} onText={setText} parsed={parsed} />
    </ConfirmDialog>
  );
}
