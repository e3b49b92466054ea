import { ConfirmDialog, type ConfirmDialogProps } from "@purse/ui";
import type { UseMutationResult } from "@tanstack/react-query";

export interface FormDialogProps extends Omit<ConfirmDialogProps, "open" | "busy" | "error" | "onConfirm"> {
  /** Open by default. */
  open?: boolean;
  /** Runs on submit; the dialog closes when it has succeeded. */
  mutation: Pick<UseMutationResult<unknown, unknown, void>, "mutate" | "isPending" | "error">;
}

/** A dialog with a form that runs a mutation. After an error it stays open with its inputs. */
export function FormDialog({ open = true, mutation, ...props }: FormDialogProps) {
  return (
    <ConfirmDialog
      {...props}
      open={open}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={() => mutation.mutate(undefined, { onSuccess: props.onClose })}
    />
  );
}
