import type { FieldType, JsonValue } from "@purse/protocol";
import { type ComponentType, useState } from "react";
import { ConfirmDialog } from "../components/ConfirmDialog.tsx";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { AclEditor } from "./editors/AclEditor.tsx";
import { BytesEditor } from "./editors/BytesEditor.tsx";
import { DateEditor } from "./editors/DateEditor.tsx";
import type { EditorProps } from "./editors/editor.ts";
import { FileEditor } from "./editors/FileEditor.tsx";
import { GeoEditor } from "./editors/GeoEditor.tsx";
import { JsonEditor } from "./editors/JsonEditor.tsx";
import { PointerEditor } from "./editors/PointerEditor.tsx";
import { PolygonEditor } from "./editors/PolygonEditor.tsx";
import { ShortEditor } from "./editors/ShortEditor.tsx";
import type { DataField } from "./fields.ts";
import { editableText, parseValue } from "./parseValue.ts";

const EDITORS: Partial<Record<FieldType["type"], ComponentType<EditorProps>>> = {
  ACL: AclEditor,
  Boolean: ShortEditor,
  Bytes: BytesEditor,
  Date: DateEditor,
  File: FileEditor,
  GeoPoint: GeoEditor,
  Number: ShortEditor,
  Pointer: PointerEditor,
  Polygon: PolygonEditor,
};
const WIDE = new Set<FieldType["type"]>(["ACL", "Array", "Object", "Polygon", "Bytes", "String"]);

/** Edits a value in a dialog with the editor of its type. */
export function ValueDialog({
  field,
  value,
  initialText,
  onDone,
  onCancel,
}: {
  field: DataField;
  value: JsonValue | undefined;
  /** Invalid input to correct. */
  initialText?: string | undefined;
  onDone: (value: JsonValue) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => initialText ?? editableText(value, field));
  const parsed = parseValue(text, field);
  const Editor = EDITORS[field.type] ?? JsonEditor;
  return (
    <ConfirmDialog
      open
      onClose={onCancel}
      title={field.name}
      description={field.targetClass ?? field.type}
      confirmLabel={t("Apply")}
      disabled={parsed.problem !== undefined}
      wide={WIDE.has(field.type)}
      onConfirm={() => parsed.problem === undefined && onDone(parsed.value)}
    >
      <Editor field={field} text={text} onText={setText} parsed={parsed} />
    </ConfirmDialog>
  );
}
