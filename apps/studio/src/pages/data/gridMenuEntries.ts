import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Translator } from "@purse/ui";
import { type Filter, operatorsOf } from "@purse/ui";
import type { CopyFormat } from "./clipboard.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";
import type { MenuEntry } from "./GridMenu.tsx";
import { draftValue } from "./useCopy.ts";

export interface GridMenuOptions {
  t: Translator["t"];
  /** The header is active, not a row. */
  isHeader: boolean;
  allColumns: readonly Column[];
  /** Selected rows and columns. */
  selected: readonly JsonObject[];
  selectedColumns: readonly Column[];
  drafts: Drafts;
  filters: readonly Filter[];
  mayDelete: boolean;
  copy: (rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat) => Promise<void>;
  open: (objectId: string) => void;
  edit: () => void;
  sort: (field: string, isAdditive: boolean) => void;
  filterBy: (filters: Filter[]) => void;
  pin: (field: string) => void;
  hide: (field: string) => void;
  remove: (ids: string[]) => void;
}

/** Context menu entries of a selection or a column header. */
export function gridMenuEntries(options: GridMenuOptions): MenuEntry[][] {
  const { t, selected, selectedColumns, allColumns, drafts } = options;
  const [row] = selected;
  const [column] = selectedColumns;
  if (!row || !column) return [];
  const { name } = column;
  const columnEntries = [
    { label: column.isPinned ? t("Unpin column") : t("Pin column"), hint: "P", run: () => options.pin(name) },
    { label: t("Hide column"), hint: "H", run: () => options.hide(name) },
  ];
  if (options.isHeader)
    return [
      [
        { label: t("Sort"), hint: "Enter", run: () => options.sort(name, false) },
        { label: t("Add to sort order"), hint: "Shift Enter", run: () => options.sort(name, true) },
      ],
      columnEntries,
    ];
  const value = draftValue(drafts, row, column.name);
  const operators = operatorsOf(column);
  const hasValue = value !== undefined && value !== null;
  const ids = selected.map(({ objectId }) => String(objectId));
  const copy = (which: readonly Column[], format: CopyFormat) => () =>
    void options.copy(selected, which, format);
  return [
    [
      { label: t("Open row"), hint: t("Space"), run: () => options.open(ids[0] ?? "") },
      { label: t("Edit"), hint: "Enter", run: () => options.edit() },
    ],
    [
      { label: t("Copy cells"), hint: "Ctrl C", run: copy(selectedColumns, "tsv") },
      { label: t("Copy cells as CSV"), run: copy(selectedColumns, "csv") },
      { label: t("Copy cells as JSON"), run: copy(selectedColumns, "json") },
      { label: t("Copy rows as CSV"), run: copy(allColumns, "csv") },
      { label: t("Copy rows as JSON"), run: copy(allColumns, "json") },
    ],
    [
      {
        label: t("Filter by this value"),
        isDisabled: hasValue && !operators.includes("is"),
        run: () =>
          options.filterBy([
            ...options.filters,
            hasValue
              ? { field: column.name, operator: "is", value: plainPointer(value) }
              : { field: column.name, operator: "missing" },
          ]),
      },
      ...columnEntries.map(({ label, run }) => ({ label, run })),
    ],
    options.mayDelete
      ? [
          {
            label: ids.length > 1 ? t("Delete rows…") : t("Delete row…"),
            isDanger: true,
            run: () => options.remove(ids),
          },
        ]
      : [],
  ];
}

/** A plain pointer without included fields. */
function plainPointer(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value.__type !== "Pointer") return value;
  return { __type: "Pointer", className: value.className ?? "", objectId: value.objectId ?? "" };
}
