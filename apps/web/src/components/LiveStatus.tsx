import { Status, type StatusKind, useTranslation } from "@purse/ui";

/** The state of a live query; `refused` if the server rejects the subscription. */
export type LiveState = "connecting" | "live" | "reconnecting" | "offline" | "refused";

const STATES: Record<LiveState, { kind: StatusKind; label: string }> = {
  connecting: { kind: "busy", label: "Connecting" },
  live: { kind: "ok", label: "Live" },
  reconnecting: { kind: "warning", label: "Reconnecting" },
  offline: { kind: "danger", label: "Offline" },
  refused: { kind: "idle", label: "Not live" },
};

/** Whether data updates live at the moment. */
export function LiveStatus({ state }: { state: LiveState }) {
  const { t } = useTranslation();
  const { kind, label } = STATES[state];
  return (
    <span role="status">
      <Status kind={kind}>{t(label)}</Status>
    </span>
  );
}
