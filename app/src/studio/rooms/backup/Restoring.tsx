import type { StudioBackupState, StudioRestoring } from "@purse/protocol";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Notice } from "../../../design/Status.tsx";
import { Stepper, type StepState } from "../../../design/Stepper.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { bytes } from "../parts/fields.ts";
import { Section } from "../parts/Room.tsx";
import { Portion } from "./Portion.tsx";

const PHASES = ["copying", "checking", "restarting"] as const satisfies StudioRestoring["phase"][];

/** A backup on its way to be the database, and how the last one ended. `isAway`: the server does not answer now. */
export function Restoring({ state, isAway }: { state: StudioBackupState | undefined; isAway: boolean }) {
  const { t } = useTranslation();
  if (state?.restoring) {
    const { restoring } = state;
    return <Progress {...restoring} phase={isAway ? "restarting" : restoring.phase} />;
  }
  const last = state?.lastRestore;
  if (!last) return null;
  return (
    <Notice
      kind={last.outcome === "done" ? "ok" : "danger"}
      title={
        last.outcome === "done"
          ? t("{file} was put back", { file: last.file })
          : t("{file} could not be put back: everything is as it was", { file: last.file })
      }
    >
      {last.error !== undefined && <bdi>{last.error} </bdi>}
      {t("By {who}", { who: last.username })}, <RelativeTime at={last.at} />.{" "}
      {last.keptAs !== undefined && t("What was there before is kept as {file}.", { file: last.keptAs })}
    </Notice>
  );
}

function Progress({ file, phase, bytes: done, totalBytes }: StudioRestoring) {
  const { t, language } = useTranslation();
  const at = PHASES.indexOf(phase);
  const labels = [
    t("Copy it beside the database"),
    t("Check that it is whole"),
    t("Start again with it: for some seconds nobody is answered"),
  ];
  const stateOf = (i: number): StepState => (i < at ? "done" : i === at ? "now" : "todo");
  const steps = labels.map((label, i) => ({ label, state: stateOf(i) }));
  return (
    <Section title={t("{file} is being put back", { file })}>
      <Stepper steps={steps} />
      <div role="status" className="stack">
        {phase === "copying" && totalBytes > 0 && (
          <p className="number">
            {t("{n} of {all}", { n: bytes(done, language), all: bytes(totalBytes, language) })}
          </p>
        )}
        <Portion
          label={t("Restore")}
          of={phase === "copying" && totalBytes > 0 ? done / totalBytes : undefined}
        />
      </div>
    </Section>
  );
}
