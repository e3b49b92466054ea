import type { FieldType, JsonValue } from "@purse/protocol";
import { type ComponentType, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
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
import { readTyped, typedOf } from "./typed.ts";

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

/** A value that needs more room than a cell, with the editor of its type. */
export function ValueDialog({
  column,
  value,
  typed,
  onDone,
  onCancel,
}: {
  column: Column;
  value: JsonValue | undefined;
  /** What stands there and is no value of the field, to correct. */
  typed?: string | undefined;
  onDone: (value: JsonValue) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => typed ?? typedOf(value, column));
  const read = readTyped(text, column);
  const Editor = EDITORS[column.type] ?? JsonEditor;
  return (
    <Ask
      open
      onClose={onCancel}
      title={column.name}
      about={column.targetClass ?? column.type}
      verb={t("Take")}
      disabled={read.problem !== undefined}
      busy={false}
      wide={WIDE.has(column.type)}
      onDo={() => read.problem === undefined && onDone(read.value)}
    >
      <Editor column={column} text={text} onText={setText} read={read} />
    </Ask>
  );
}
