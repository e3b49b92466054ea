import type { ReactNode } from "react";

/** An empty state with its primary action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p className="soft">{children}</p>}
      {action}
    </div>
  );
}
