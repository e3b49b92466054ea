import type { Column } from "../columns.ts";
import type { ParsedValue } from "../parseValue.ts";

/** What an editor of one type is given: the text that stands for its value, as `typed.ts` reads it. */
export interface EditorProps {
  column: Column;
  text: string;
  onText: (text: string) => void;
  parsed: ParsedValue;
}
