import type { StudioBackupSchedule } from "@purse/server/studio-api";
import { Field, FormDialog, requiredText, Select, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import {
  SCHEDULE_LABELS,
  SCHEDULE_NAMES,
  SCHEDULES,
  type ScheduleName,
  scheduleName,
} from "./backupSchedules.ts";

const MAX_KEPT = 1_000;

const NAMES: readonly (ScheduleName | "custom")[] = [...SCHEDULE_NAMES, "custom"];

const SCHEDULE = z.object({
  name: z.enum(NAMES),
  cron: requiredText(),
  keep: z.pipe(
    requiredText().check(
      z.refine((text) => isNumberToKeep(Number(text)), "Enter a number of backups from 1 to 1000."),
    ),
    z.transform(Number),
  ),
});

export interface ScheduleDialogProps {
  schedule: StudioBackupSchedule | undefined;
  onClose: () => void;
}

/** Sets when backups are created and how many are kept. */
export function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation();
  const form = useForm(SCHEDULE, {
    name: scheduleName(schedule?.cron ?? SCHEDULES.daily),
    cron: schedule?.cron ?? SCHEDULES.daily,
    keep: String(schedule?.keep ?? 7),
  });
  const save = useStudioMutation(
    (studio, { cron, keep }: z.infer<typeof SCHEDULE>) => studio.put("/backup-schedule", { cron, keep }),
    t("Backup schedule saved"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Scheduled backups")}
      description={t(
        "A backup that was due while the server was down is created when it starts. Deleted backups can't be restored: keep enough of them.",
      )}
      confirmLabel={t("Save")}
      form={form}
      mutation={save}
    >
      <Select
        label={t("When")}
        value={form.values.name}
        onChange={(name) => {
          form.set("name", name);
          if (name !== "custom") form.set("cron", SCHEDULES[name]);
        }}
        options={NAMES.map((key) => ({ key, label: t(SCHEDULE_LABELS[key]) }))}
      />
      {form.values.name === "custom" && (
        <Field
          label={t("Cron expression")}
          hint={t("In UTC: minute, hour, day, month, weekday. 0 */4 * * * runs every 4 hours.")}
          {...form.input("cron")}
          required
          isCode
        />
      )}
      <Field
        label={t("Backups to keep")}
        hint={t("Older scheduled backups are deleted. Backups that you create or upload are not.")}
        inputMode="numeric"
        {...form.input("keep")}
        required
      />
    </FormDialog>
  );
}

function isNumberToKeep(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_KEPT;
}
