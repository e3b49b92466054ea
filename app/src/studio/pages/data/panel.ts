import type { JsonObject } from "@purse/protocol";
import type { ClassSchema } from "../../components/classes.ts";
import type { Column } from "./columns.ts";
import type { Draft } from "./drafts.ts";
import type { PanelTab } from "./search.ts";
import type { DraftStep } from "./useDrafts.ts";

/** What the panel of a row and its parts are given. */
export interface RowPanelProps {
  className: string;
  objectId: string;
  /** Where the grid has it loaded. */
  row: JsonObject | undefined;
  columns: readonly Column[];
  tab: PanelTab;
  draft: Draft | undefined;
  steps: readonly DraftStep[];
  as: string | undefined;
  onTab: (tab: PanelTab) => void;
  onEdit: (row: JsonObject, column: Column) => void;
  onRevert: (row: JsonObject, field: string) => void;
  /** Another row, of this class or another. */
  onOpen: (className: string, objectId: string) => void;
  /** The one before, the one after; undefined where there is none. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onClose: () => void;
}

/** A field of some class that points to, or is related to, rows of another. */
export interface IncomingReference {
  className: string;
  field: string;
  kind: "Pointer" | "Relation";
}

/** Each is asked for; beyond so many it would be no quick look. */
const MAX_INCOMING = 24;

/** The fields that lead to rows of a class, those of the application first. */
export function incomingReferences(classes: readonly ClassSchema[], className: string): IncomingReference[] {
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
