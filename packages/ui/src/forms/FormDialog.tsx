import { ConfirmDialog, type ConfirmDialogProps } from "../components/ConfirmDialog.tsx";
import type { SubmittableForm } from "./useForm.ts";

/** A mutation of TanStack Query. */
interface Mutation<Variables> {
  mutate(variables: Variables, options: { onSuccess: () => void }): void;
  isPending: boolean;
  error: unknown;
}

interface DialogProps extends Omit<ConfirmDialogProps, "open" | "busy" | "error" | "onConfirm"> {
  /** Open by default. */
  open?: boolean;
  /** Runs when the mutation has succeeded; closes the dialog by default. */
  onDone?: () => void;
}

/** A dialog with a form that runs a mutation with its values. After an error it stays open with its inputs. */
export function FormDialog<Values>({
  open = true,
  form,
  mutation,
  onDone,
  ...props
}: DialogProps & { form: SubmittableForm<Values>; mutation: Mutation<Values> }) {
  const onSuccess = onDone ?? props.onClose;
  return (
    <ConfirmDialog
      {...props}
      open={open}
      disabled={props.disabled || !form.isValid}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={form.submit((values) => mutation.mutate(values, { onSuccess }))}
    />
  );
}

export interface MutationDialogProps extends DialogProps {
  mutation: Mutation<void>;
}

/** A confirmation that runs a mutation. After an error it stays open. */
export function MutationDialog({ open = true, mutation, onDone, ...props }: MutationDialogProps) {
  const onSuccess = onDone ?? props.onClose;
  return (
    <ConfirmDialog
      {...props}
      open={open}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={() => mutation.mutate(undefined, { onSuccess })}
    />
  );
}
