import type { ReactNode } from "react";

/** A list of labeled details. */
export function DetailList({ children }: { children: ReactNode }) {
  return <dl className="explorer-facts">{children}</dl>;
}

export function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
