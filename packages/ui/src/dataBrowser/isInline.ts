import type { FieldType } from "@purse/protocol";
import type { DataField } from "./fields.ts";

const INLINE_TYPES = new Set<FieldType["type"]>(["String", "Number", "Boolean", "Date"]);

/** Whether a line of text is enough to edit a field; others are edited in a dialog. */
export function isInline({ type }: Pick<DataField, "type">): boolean {
  return INLINE_TYPES.has(type);
}
