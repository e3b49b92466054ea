import { type InputHTMLAttributes, type ReactNode, useId } from "react";

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the input, in words that help. */
  problem?: string | undefined;
  /** Beside the input, for example a button. */
  after?: ReactNode;
}

/** A labelled input; its hint and its problem belong to it for screen readers too. */
export function Field({ label, hint, problem, after, ...input }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        <input
          {...input}
          id={id}
          className="grow"
          aria-invalid={problem ? true : undefined}
          aria-describedby={described || undefined}
        />
        {after}
      </div>
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} className="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
