/** A placeholder for a loading line. */
export function Skeleton({ width = "100%", height = "1.2em" }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} aria-hidden="true" />;
}

export function SkeletonList({ rows = 4, label }: { rows?: number; label: string }) {
  return (
    <div role="status" className="stack" aria-label={label}>
      {Array.from({ length: rows }, (_, i) => `${100 - i * 6}%`).map((width) => (
        <Skeleton key={width} height="2.4rem" width={width} />
      ))}
    </div>
  );
}
