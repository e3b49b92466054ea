import type { ReactNode } from "react";

/** Progress of a long operation, with an optional action to stop it. */
export function ProgressLine({
  label,
  done,
  all,
  action,
}: {
  label: string;
  done: number;
  all: number;
  action?: ReactNode;
}) {
  return (
    <div className="progress-line">
      <span role="status">{label}</span>
      <progress aria-label={label} value={done} max={Math.max(1, all)} />
      {action}
    </div>
  );
}
