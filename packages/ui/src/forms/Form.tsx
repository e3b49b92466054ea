import type { ReactNode } from "react";
import { Button } from "../components/Button.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import type { SubmittableForm } from "./useForm.ts";

export interface FormProps<Values> {
  form: SubmittableForm<Values>;
  onSubmit: (values: Values) => void;
  submitLabel: ReactNode;
  variant?: "primary" | "danger";
  /** Whether the submit button is disabled; by default it is enabled and submitting shows what is missing. */
  disabled?: boolean;
  busy: boolean;
  /** Error of the last attempt; the inputs keep their values. */
  error?: unknown;
  /** Accessible name of the form. */
  label?: string;
  className?: string;
  /** The buttons are below each other, as wide as the form. */
  isNarrow?: boolean;
  /** Further buttons. */
  buttons?: ReactNode;
  children: ReactNode;
}

/** A form with its error and its submit button. */
export function Form<Values>(props: FormProps<Values>) {
  const { form, variant, disabled = false, error, className = "stack" } = props;
  return (
    <form className={className} onSubmit={form.submit(props.onSubmit)} noValidate aria-label={props.label}>
      {props.children}
      {error ? <ErrorState error={error} /> : null}
      <div className={props.isNarrow ? "stack" : "row"}>
        <Button type="submit" {...(variant && { variant })} busy={props.busy} disabled={disabled}>
          {props.submitLabel}
        </Button>
        {props.buttons}
      </div>
    </form>
  );
}
