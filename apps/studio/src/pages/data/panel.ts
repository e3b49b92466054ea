import type { JsonObject } from "@purse/protocol";
import type { StudioClass } from "@purse/server/studio-api";
import type { Column } from "./columns.ts";
import type { Draft } from "./drafts.ts";
import type { PanelTab } from "./search.ts";
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

/** A field that references a class. */
export interface IncomingReference {
  className: string;
  field: string;
  kind: "Pointer" | "Relation";
}

/** Maximum number of references, since each is queried. */
const MAX_INCOMING = 24;

/** Fields that reference a class, system classes last. */
export function incomingReferences(classes: readonly StudioClass[], className: string): IncomingReference[] {
  return classes
    .flatMap((each) =>
      Object.entries(each.fields).flatMap(([field, type]): IncomingReference[] =>
        (type.type === "Pointer" || type.type === "Relation") && type.targetClass === className
          ? [{ className: each.className, field, kind: type.type }]
          : [],
      ),
    )
    .slice(0, MAX_INCOMING);
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
