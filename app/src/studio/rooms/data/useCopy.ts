import type { JsonObject, JsonValue } from "@purse/protocol";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { type CopyFormat, copied } from "./clipboard.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";

/** A value as it is shown: what is not saved yet goes before what is. */
export function valueIn(drafts: Drafts, row: JsonObject, field: string): JsonValue | undefined {
  const changes = drafts.get(String(row.objectId))?.changes;
  return changes && Object.hasOwn(changes, field) ? (changes[field] ?? undefined) : row[field];
}

/** Puts cells on the clipboard, and says so. */
export function useCopy(drafts: Drafts) {
  const toast = useToast();
  const { t, count } = useTranslation();
  const textOf = (rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat) =>
    copied(rows, columns, format, (row, field) => valueIn(drafts, row, field));
  return {
    textOf,
    async copy(rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat): Promise<void> {
      try {
        await navigator.clipboard.writeText(textOf(rows, columns, format));
        toast(count(rows.length, "{n} row is copied.", "{n} rows are copied."));
      } catch {
        toast(t("The browser does not let this page use the clipboard."));
      }
    },
  };
}
