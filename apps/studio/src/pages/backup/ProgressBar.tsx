/** A progress bar. `value` is from 0 to 1; undefined is indeterminate. */
export function ProgressBar({ label, value }: { label: string; value: number | undefined }) {
  const percent = value === undefined ? undefined : Math.round(Math.min(1, value) * 100);
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      {percent === undefined ? (
        <span className="progress-fill unknown" />
      ) : (
        <span className="progress-fill" style={{ width: `${percent}%` }} />
      )}
    </div>
  );
}
