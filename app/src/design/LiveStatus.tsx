import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Status, type StatusKind } from "./Status.tsx";

/** Of a live query; `refused` where the server sends no changes, as without the right. */
export type LiveState = "connecting" | "live" | "reconnecting" | "offline" | "refused";

const STATES: Record<LiveState, { kind: StatusKind; label: string }> = {
  connecting: { kind: "busy", label: "Connecting" },
  live: { kind: "ok", label: "Live" },
  reconnecting: { kind: "warning", label: "Reconnecting" },
  offline: { kind: "danger", label: "Offline" },
  refused: { kind: "idle", label: "Not live" },
};

/** Whether changes show by themselves, at this moment. */
export function LiveStatus({ state }: { state: LiveState }) {
  const { t } = useTranslation();
  const { kind, label } = STATES[state];
  return (
    <span role="status">
      <Status kind={kind}>{t(label)}</Status>
    </span>
  );
}
