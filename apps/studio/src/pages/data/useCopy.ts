import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import { useToast, useTranslation } from "@purse/ui";
import { type CopyFormat, serializeCells } from "./clipboard.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";

/** The value of a cell including unsaved changes. */
export function draftValue(drafts: Drafts, row: JsonObject, field: string): JsonValue | undefined {
  const changes = drafts.get(String(row.objectId))?.changes;
  return changes && Object.hasOwn(changes, field) ? (changes[field] ?? undefined) : ownValue(row, field);
}

/** Copies cells to the clipboard and shows a toast. */
export function useCopy(drafts: Drafts) {
  const toast = useToast();
  const { t } = useTranslation();
  const serialize = (rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat) =>
    serializeCells(rows, columns, format, (row, field) => draftValue(drafts, row, field));
  return {
    serialize,
    async copy(rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat): Promise<void> {
      try {
        await navigator.clipboard.writeText(serialize(rows, columns, format));
        toast(t("{n, plural, one {# row copied} other {# rows copied}}", { n: rows.length }));
      } catch {
        toast(t("The browser blocked access to the clipboard."));
      }
    },
  };
}
