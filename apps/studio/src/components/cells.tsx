import type { JsonObject } from "@purse/protocol";
import { RelativeTime, Status, type StatusKind, useTranslation } from "@purse/ui";
import { stringField, timeField } from "./fields.ts";

/** A text in one line, truncated if it is too long; the whole text is its title. */
export function CutText({ text, title = text, isCode }: { text: string; title?: string; isCode?: boolean }) {
  const Tag = isCode ? "code" : "bdi";
  return (
    <Tag className="cut" title={title}>
      {text}
    </Tag>
  );
}

/** Statuses that the server stores in rows. */
const STATUSES: Readonly<Record<string, { kind: StatusKind; label: string }>> = {
  succeeded: { kind: "ok", label: "Succeeded" },
  delivered: { kind: "ok", label: "Delivered" },
  failed: { kind: "danger", label: "Failed" },
  running: { kind: "busy", label: "Running" },
  pending: { kind: "busy", label: "Pending" },
  waiting: { kind: "busy", label: "Waiting" },
  scheduled: { kind: "info", label: "Scheduled" },
};

/** The field `status` of a row. */
export function RowStatus({ row }: { row: JsonObject }) {
  const { t } = useTranslation();
  const status = stringField(row, "status");
  const known = STATUSES[status];
  return <Status kind={known?.kind ?? "idle"}>{known ? t(known.label) : status}</Status>;
}

/** A date of a row relative to now; by default when it was created. */
export function RowTime({ row, field = "createdAt" }: { row: JsonObject; field?: string }) {
  return <RelativeTime at={timeField(row, field) ?? ""} />;
}

export interface OptionalTimeProps {
  at: string | undefined;
  /** Shown without a time. */
  otherwise: string;
}

/** A date relative to now, or a text if there is none. */
export function OptionalTime({ at, otherwise }: OptionalTimeProps) {
  return at === undefined ? <span className="soft">{otherwise}</span> : <RelativeTime at={at} />;
}
