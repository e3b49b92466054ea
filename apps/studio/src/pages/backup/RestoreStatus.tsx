import type { StudioBackupState, StudioRestoreProgress } from "@purse/server/studio-api";
import { formatBytes, Notice, RelativeTime, Stepper, type StepState, useTranslation } from "@purse/ui";
import { Section } from "../../components/Page.tsx";
import { ProgressBar } from "./ProgressBar.tsx";

const PHASES = ["copying", "checking", "restarting"] as const satisfies StudioRestoreProgress["phase"][];

export interface RestoreStatusProps {
  state: StudioBackupState | undefined;
  isUnreachable: boolean;
}

/** Progress of a running restore and the result of the last one. `isUnreachable`: the server is restarting. */
export function RestoreStatus({ state, isUnreachable }: RestoreStatusProps) {
  const { t } = useTranslation();
  if (state?.restoring) {
    const { restoring } = state;
    return <Progress {...restoring} phase={isUnreachable ? "restarting" : restoring.phase} />;
  }
  const last = state?.lastRestore;
  if (!last) return null;
  return (
    <Notice
      kind={last.outcome === "done" ? "ok" : "danger"}
      title={
        last.outcome === "done"
          ? t("{file} restored", { file: last.file })
          : t("Restoring {file} failed. The database is unchanged.", { file: last.file })
      }
    >
      {last.error !== undefined && <bdi>{last.error} </bdi>}
      {t("By {who}", { who: last.username })}, <RelativeTime at={last.at} />.{" "}
      {last.keptAs !== undefined && t("The previous database was saved as {file}.", { file: last.keptAs })}
    </Notice>
  );
}

function Progress({ file, phase, bytes: done, totalBytes }: StudioRestoreProgress) {
  const { t, language } = useTranslation();
  const current = PHASES.indexOf(phase);
  const labels = [
    t("Copy the backup to this server"),
    t("Verify integrity"),
    t("Restart the server (unavailable meanwhile)"),
  ];
  const stateOf = (i: number): StepState => (i < current ? "done" : i === current ? "now" : "todo");
  const steps = labels.map((label, i) => ({ label, state: stateOf(i) }));
  return (
    <Section title={t("Restoring {file}", { file })}>
      <Stepper steps={steps} />
      <div role="status" className="stack">
        {phase === "copying" && totalBytes > 0 && (
          <p className="number">
            {t("{n} of {all}", { n: formatBytes(done, language), all: formatBytes(totalBytes, language) })}
          </p>
        )}
        <ProgressBar
          label={t("Restore")}
          value={phase === "copying" && totalBytes > 0 ? done / totalBytes : undefined}
        />
      </div>
    </Section>
  );
}
