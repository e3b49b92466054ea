import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react";

interface Labelled {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the input, in words that help. */
  problem?: string | undefined;
  /** Beside the input, for example a button. */
  after?: ReactNode;
}

export type FieldProps = InputHTMLAttributes<HTMLInputElement> & Labelled;
export type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & Labelled;

/** A labelled input of one line; its hint and its problem belong to it for screen readers too. */
export function Field({ label, hint, problem, after, ...input }: FieldProps) {
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(bound) => <input {...input} {...bound} className="grow" />}
    </FieldFrame>
  );
}

/** The same for several lines. */
export function TextArea({ label, hint, problem, after, rows = 4, ...area }: TextAreaProps) {
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(bound) => <textarea {...area} {...bound} rows={rows} className="grow" />}
    </FieldFrame>
  );
}

interface Bound {
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
}: Labelled & { children: (bound: Bound) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="row">
        {children({
          id,
          "aria-invalid": problem ? true : undefined,
          "aria-describedby": described || undefined,
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
