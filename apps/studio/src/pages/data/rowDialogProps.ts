import type { JsonObject } from "@purse/protocol";
import type { Column } from "./columns.ts";
import type { Draft } from "./drafts.ts";
import type { PanelTab } from "./searchParams.ts";
import type { DraftStep } from "./useDrafts.ts";

/** Props of the row panel and its components. */
export interface RowPanelProps {
  className: string;
  objectId: string;
  /** The row, if the grid has loaded it. */
  row: JsonObject | undefined;
  columns: readonly Column[];
  tab: PanelTab;
  draft: Draft | undefined;
  steps: readonly DraftStep[];
  as: string | undefined;
  onTab: (tab: PanelTab) => void;
  onEdit: (row: JsonObject, column: Column) => void;
  onRevert: (row: JsonObject, field: string) => void;
  /** Opens another row. */
  onOpen: (className: string, objectId: string) => void;
  /** Open the adjacent rows; undefined at the ends. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onClose: () => void;
}

/** Properties of a dialog that changes rows of a class. */
export interface RowsDialogProps<Result = void> {
  className: string;
  /** Editable columns. */
  columns: readonly Column[];
  /** Called after rows were changed. */
  onDone: (result: Result) => void;
  onClose: () => void;
}
