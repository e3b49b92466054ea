import type { FieldType } from "@purse/protocol";
import type { ComponentType } from "react";
import { AclEditor } from "./editors/AclEditor.tsx";
import { BytesEditor } from "./editors/BytesEditor.tsx";
import { DateEditor } from "./editors/DateEditor.tsx";
import type { EditorProps } from "./editors/editorProps.ts";
import { FileEditor } from "./editors/FileEditor.tsx";
import { GeoEditor } from "./editors/GeoEditor.tsx";
import { JsonEditor } from "./editors/JsonEditor.tsx";
import { PointerEditor } from "./editors/PointerEditor.tsx";
import { PolygonEditor } from "./editors/PolygonEditor.tsx";
import { ShortEditor } from "./editors/ShortEditor.tsx";
import type { DataField } from "./fields.ts";

type TypedField = Pick<DataField, "type">;

/** The editors of the dialog by type; other types are edited as JSON. */
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

/** The editor of a field's dialog. */
export function editorOf({ type }: TypedField): ComponentType<EditorProps> {
  return EDITORS[type] ?? JsonEditor;
}

/** Whether the editor of a type needs a wide dialog. */
export function isWide({ type }: TypedField): boolean {
  return WIDE.has(type);
}
