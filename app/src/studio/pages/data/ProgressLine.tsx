import type { ReactNode } from "react";

/** How far something is that takes its time, with a way to stop it. */
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
