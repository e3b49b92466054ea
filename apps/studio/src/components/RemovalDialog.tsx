import { MutationDialog, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import type { StudioApi } from "../api.ts";
import { useStudioMutation } from "./useStudioQuery.ts";

export interface Removal<Row> {
  /** Label of the buttons, such as "Revoke"; "Remove" by default. */
  verb?: string;
  /** Accessible name of the button of a row. */
  label: (row: Row) => string;
  /** Whether a row can be removed; every row by default. */
  isPossible?: (row: Row) => boolean;
  /** Title of the dialog. */
  title: (row: Row) => string;
  description: (row: Row) => string;
  details?: (row: Row) => ReactNode;
  run: (studio: StudioApi, row: Row) => Promise<unknown>;
  /** Shown afterwards. */
  successMessage: string;
}

export interface RemovalDialogProps<Row> {
  removal: Removal<Row>;
  row: Row;
  open: boolean;
  onClose: () => void;
}

/** Asks for confirmation before it removes `row`. */
export function RemovalDialog<Row>({ removal, row, open, onClose }: RemovalDialogProps<Row>) {
  const { t } = useTranslation();
  const mutation = useStudioMutation((studio) => removal.run(studio, row), removal.successMessage);
  return (
    <MutationDialog
      open={open}
      onClose={onClose}
      title={removal.title(row)}
      description={removal.description(row)}
      confirmLabel={removal.verb ?? t("Remove")}
      danger
      mutation={mutation}
    >
      {removal.details?.(row)}
    </MutationDialog>
  );
}
