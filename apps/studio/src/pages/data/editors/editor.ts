import type { Column } from "../columns.ts";
import type { ParsedValue } from "../parseValue.ts";

/** Props of a value editor: the text of a value, parsed by `parseValue()`. */
export interface EditorProps {
  column: Column;
  text: string;
  onText: (text: string) => void;
  parsed: ParsedValue;
}
