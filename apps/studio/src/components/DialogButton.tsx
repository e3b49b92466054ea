import { Button, MutationDialog } from "@purse/ui";
import { type ComponentProps, type ReactNode, useState } from "react";
import type { StudioApi } from "../api.ts";
import { useStudioMutation } from "./useStudioQuery.ts";

export interface DialogButtonProps extends Omit<ComponentProps<typeof Button>, "onClick" | "children"> {
  label: string;
  dialog: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

export interface ConfirmButtonProps extends Omit<DialogButtonProps, "dialog"> {
  /** The dialog that asks for confirmation. */
  confirm: Pick<
    ComponentProps<typeof MutationDialog>,
    "title" | "description" | "confirmLabel" | "confirmationText" | "danger"
  >;
  run: (studio: StudioApi) => Promise<unknown>;
  successMessage?: string;
  /** Runs when the action has succeeded, before the queries are refetched: the button may be gone afterwards. */
  onDone?: () => void;
}

/** A button whose action must be confirmed. */
export function ConfirmButton({ confirm, run, successMessage, onDone, ...button }: ConfirmButtonProps) {
  const mutation = useStudioMutation(async (studio) => {
    await run(studio);
    onDone?.();
  }, successMessage);
  return (
    <DialogButton
      {...button}
      dialog={(close) => (
        <MutationDialog
          {...confirm}
          mutation={mutation}
          onClose={() => {
            // An action that still runs goes on; the dialog shows its error when it is opened again.
            if (!mutation.isPending) mutation.reset();
            close();
          }}
          onDone={close}
        />
      )}
    />
  );
}
