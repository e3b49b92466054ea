import type { FieldType, JsonValue } from "@purse/protocol";
import { ConfirmDialog, useTranslation } from "@purse/ui";
import { type ComponentType, useState } from "react";
import type { Column } from "./columns.ts";
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
  column,
  value,
  initialText,
  onDone,
  onCancel,
}: {
  column: Column;
  value: JsonValue | undefined;
  /** Invalid input to correct. */
  initialText?: string | undefined;
  onDone: (value: JsonValue) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => initialText ?? editableText(value, column));
  const parsed = parseValue(text, column);
  const Editor = EDITORS[column.type] ?? JsonEditor;
  return (
    <ConfirmDialog
      open
      onClose={onCancel}
      title={column.name}
      description={column.targetClass ?? column.type}
      confirmLabel={t("Apply")}
      disabled={parsed.problem !== undefined}
      wide={WIDE.has(column.type)}
      onConfirm={() => parsed.problem === undefined && onDone(parsed.value)}
    >
      <Editor column={column} text={text} onText={setText} parsed={parsed} />
    </ConfirmDialog>
  );
}
