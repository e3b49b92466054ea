import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Translator } from "../../../i18n/translator.ts";
import type { CopyFormat } from "./clipboard.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";
import { type Filter, operatorsOf } from "./filters.ts";
import type { MenuEntry } from "./GridMenu.tsx";
import { valueIn } from "./useCopy.ts";

export interface GridEntriesParts {
  t: Translator["t"];
  /** The head is what is active, not a row. */
  isHead: boolean;
  all: readonly Column[];
  /** The rows and the columns of the selection. */
  selected: readonly JsonObject[];
  selectedColumns: readonly Column[];
  drafts: Drafts;
  filters: readonly Filter[];
  mayDelete: boolean;
  copy: (rows: readonly JsonObject[], columns: readonly Column[], format: CopyFormat) => Promise<void>;
  open: (objectId: string) => void;
  edit: () => void;
  sort: (field: string, isMore: boolean) => void;
  filterBy: (filters: Filter[]) => void;
  pin: (field: string) => void;
  hide: (field: string) => void;
  remove: (ids: string[]) => void;
}

/** The menu of a selection, or of a column's name. */
export function gridEntries(parts: GridEntriesParts): MenuEntry[][] {
  const { t, selected, selectedColumns, all, drafts } = parts;
  const [row] = selected;
  const [column] = selectedColumns;
  if (!row || !column) return [];
  const { name } = column;
  const standing = [
    {
      label: column.isPinned ? t("Unpin the column") : t("Pin the column"),
      hint: "P",
      run: () => parts.pin(name),
    },
    { label: t("Hide the column"), hint: "H", run: () => parts.hide(name) },
  ];
  if (parts.isHead)
    return [
      [
        { label: t("Sort"), hint: "Enter", run: () => parts.sort(name, false) },
        { label: t("Sort beside the others"), hint: "Shift Enter", run: () => parts.sort(name, true) },
      ],
      standing,
    ];
  const value = valueIn(drafts, row, column.name);
  const operators = operatorsOf(column);
  const isThere = value !== undefined && value !== null;
  const ids = selected.map(({ objectId }) => String(objectId));
  const copy = (which: readonly Column[], format: CopyFormat) => () =>
    void parts.copy(selected, which, format);
  return [
    [
      { label: t("Open the row"), hint: t("Space"), run: () => parts.open(ids[0] ?? "") },
      { label: t("Edit"), hint: "Enter", run: () => parts.edit() },
    ],
    [
      { label: t("Copy the cells"), hint: "Ctrl C", run: copy(selectedColumns, "tsv") },
      { label: t("Copy the cells as CSV"), run: copy(selectedColumns, "csv") },
      { label: t("Copy the cells as JSON"), run: copy(selectedColumns, "json") },
      { label: t("Copy the rows as CSV"), run: copy(all, "csv") },
      { label: t("Copy the rows as JSON"), run: copy(all, "json") },
    ],
    [
      {
        label: t("Filter by this value"),
        isOff: isThere && !operators.includes("is"),
        run: () =>
          parts.filterBy([
            ...parts.filters,
            isThere
              ? { field: column.name, operator: "is", value: plainPointer(value) }
              : { field: column.name, operator: "missing" },
          ]),
      },
      ...standing.map(({ label, run }) => ({ label, run })),
    ],
    parts.mayDelete
      ? [
          {
            label: ids.length > 1 ? t("Delete the rows…") : t("Delete the row…"),
            isDanger: true,
            run: () => parts.remove(ids),
          },
        ]
      : [],
  ];
}

/** As a filter asks for it: not with what was included. */
function plainPointer(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value.__type !== "Pointer") return value;
  return { __type: "Pointer", className: value.className ?? "", objectId: value.objectId ?? "" };
}
