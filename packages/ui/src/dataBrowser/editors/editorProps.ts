import type { DataField } from "../fields.ts";
import type { ParsedValue } from "../parseValue.ts";

/** Props of a value editor: the text of a value, parsed by `parseValue()`. */
export interface EditorProps {
  field: DataField;
  text: string;
  onText: (text: string) => void;
  parsed: ParsedValue;
}
