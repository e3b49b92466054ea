import type { StudioRole } from "@purse/server/studio-api";
import { isInline } from "@purse/ui";
import type { Column } from "./columns.ts";

/** How a cell is edited: in the grid, in a dialog of its value or of its relation, or not at all. */
export type CellEditMode = "inline" | "value" | "relation" | "none";

const SERVER_FIELDS = new Set(["objectId", "createdAt", "updatedAt", "authData", "emailVerified"]);

/** Whether a field can be edited; relations have their own dialog. */
export function isEditable({ name, type }: Column, role: StudioRole): boolean {
  return role !== "readOnly" && !SERVER_FIELDS.has(name) && type !== "Relation";
}

/** The way to edit the cells of a column. Relations open for every role, which may only read them. */
export function cellEditMode(column: Column, role: StudioRole): CellEditMode {
  if (column.type === "Relation") return "relation";
  if (!isEditable(column, role)) return "none";
  return isInline(column) ? "inline" : "value";
}
