import { type ComponentProps, type ReactNode, useId } from "react";

interface LabelProps {
  label: string;
  hint?: ReactNode;
  /** A validation message. */
  problem?: string | undefined;
  /** Rendered next to the input, for example a button. */
  after?: ReactNode;
  /** For ids, addresses, code and the like: no suggestions, capitals or spell check. */
  isCode?: boolean;
}

const CODE = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

interface TextProps {
  /** Receives the text whenever it changes. */
  onText?: (text: string) => void;
}

export type FieldProps = ComponentProps<"input"> & LabelProps & TextProps;
export type TextAreaProps = ComponentProps<"textarea"> & LabelProps & TextProps;

/** A labeled single-line input with an accessible hint and error message. */
export function Field({ label, hint, problem, after, isCode, onText, className, ...input }: FieldProps) {
  const shared = { ...(isCode && CODE), ...changeHandler(onText), ...input };
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(binding) => <input {...shared} {...binding} className={className ? `grow ${className}` : "grow"} />}
    </FieldFrame>
  );
}

/** A labeled multi-line input. */
export function TextArea({ label, hint, problem, after, isCode, onText, rows = 4, ...area }: TextAreaProps) {
  const shared = { ...(isCode && CODE), ...changeHandler(onText), ...area };
  return (
    <FieldFrame {...{ label, hint, problem, after }}>
      {(binding) => <textarea {...shared} {...binding} rows={rows} className="grow" />}
    </FieldFrame>
  );
}

function changeHandler(onText: TextProps["onText"]) {
  return onText && { onChange: (event: { target: { value: string } }) => onText(event.target.value) };
}

interface InputBinding {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

interface FieldFrameProps extends LabelProps {
  children: (binding: InputBinding) => ReactNode;
}

function FieldFrame({ label, hint, problem, after, children }: FieldFrameProps) {
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
