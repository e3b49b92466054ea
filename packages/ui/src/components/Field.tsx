import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react";

interface LabelProps {
  label: string;
  hint?: ReactNode;
  /** A validation message. */
  problem?: string | undefined;
  /** Rendered next to the input, for example a button. */
  after?: ReactNode;
}

export type FieldProps = InputHTMLAttributes<HTMLInputElement> & LabelProps;
export type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & LabelProps;

/** A labelled single-line input with an accessible hint and error message. */
export function Field({ label, hint, problem, after, ...input }: FieldProps) {
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(binding) => <input {...input} {...binding} className="grow" />}
    </FieldFrame>
  );
}

/** A labelled multi-line input. */
export function TextArea({ label, hint, problem, after, rows = 4, ...area }: TextAreaProps) {
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(binding) => <textarea {...area} {...binding} rows={rows} className="grow" />}
    </FieldFrame>
  );
}

interface InputBinding {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

function FieldFrame({
  label,
  hint,
  problem,
  after,
  children,
}: LabelProps & { children: (binding: InputBinding) => ReactNode }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        {children({
          id,
          "aria-invalid": problem ? true : undefined,
          "aria-describedby": describedBy || undefined,
        })}
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
