import { Check, CircleDashed, Info, LoaderCircle, OctagonX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import "./Status.css";

export type StatusKind = "ok" | "busy" | "warning" | "danger" | "info" | "idle";

const ICONS = {
  ok: Check,
  busy: LoaderCircle,
  warning: TriangleAlert,
  danger: OctagonX,
  info: Info,
  idle: CircleDashed,
} as const;

/** A status label whose icon conveys the same as its color. */
export function Status({ kind, children }: { kind: StatusKind; children: ReactNode }) {
  const Icon = ICONS[kind];
  return (
    <span className="status" data-kind={kind}>
      <Icon size={14} strokeWidth={2.4} aria-hidden="true" />
      {children}
    </span>
  );
}

export interface NoticeProps {
  kind: "info" | "warning" | "danger" | "ok";
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}

/** A notice that users should read before they continue. */
export function Notice({ kind, title, children, action }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div className="notice" data-kind={kind} role={kind === "danger" ? "alert" : undefined}>
      <Icon size={20} aria-hidden="true" />
      <div className="grow">
        <p>
          <strong>{title}</strong>
        </p>
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}
