import type { JsonObject } from "@purse/protocol";
import {
  Checkbox,
  Field,
  FormDialog,
  optionalNumber,
  requiredText,
  Select,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { jsonObject, numberField, objectField, prettyJson, stringField } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useStudioMutation } from "../../components/useStudioQuery.ts";

const SCHEDULE = z.object({
  jobName: z.string(),
  cron: requiredText(),
  description: z.string(),
  params: jsonObject,
  isCatchUp: z.boolean(),
  minutes: optionalNumber((minutes) => minutes > 0, "Enter a number of minutes, or leave empty."),
});

export interface ScheduleFormProps {
  jobs: readonly string[];
  row: JsonObject | undefined;
  onClose: () => void;
}

/** Creates or edits a schedule. Schedules of Parse Dashboard without `cron` get one when they are edited. */
export function ScheduleForm({ jobs, row, onClose }: ScheduleFormProps) {
  const { t } = useTranslation();
  const deadlineMs = row && numberField(row, "deadlineMs");
  const form = useForm(SCHEDULE, {
    jobName: row ? stringField(row, "jobName") : (jobs[0] ?? ""),
    cron: row ? stringField(row, "cron") : "0 3 * * *",
    description: row ? stringField(row, "description") : "",
    params: paramsText(row),
    isCatchUp: row ? stringField(row, "catchUp") === "once" : false,
    minutes: deadlineMs ? String(deadlineMs / 60_000) : "",
  });
  const { jobName } = form.values;
  const save = useStudioMutation(
    (studio, { params, isCatchUp, minutes, ...values }: z.infer<typeof SCHEDULE>) => {
      const fields: JsonObject = {
        ...values,
        params: JSON.stringify(params),
        catchUp: isCatchUp ? "once" : "skip",
        ...(minutes !== undefined && { deadlineMs: Math.round(minutes * 60_000) }),
        ...(minutes === undefined && row?.deadlineMs !== undefined && { deadlineMs: { __op: "Delete" } }),
      };
      return row
        ? studio.put("/schedules/:objectId", { objectId: stringField(row, "objectId"), fields })
        : studio.post("/schedules", { fields });
    },
    row ? t("Schedule updated") : t("{name} scheduled", { name: jobName }),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={row ? t("Edit schedule") : t("Schedule a job")}
      confirmLabel={row ? t("Save") : t("Schedule")}
      form={form}
      mutation={save}
    >
      <Select
        label={t("Job")}
        {...form.choice("jobName")}
        options={[...new Set([...jobs, jobName])].map((key) => ({ key, label: key }))}
      />
      <Field
        label={t("When")}
        hint={t("Cron expression in UTC: minute, hour, day, month, weekday. 0 3 * * * runs daily at 3:00.")}
        {...form.input("cron")}
        required
        isCode
      />
      <Field label={t("Description")} {...form.input("description")} maxLength={500} />
      <JsonField label={t("Parameters")} {...form.choice("params")} rows={3} />
      <Field
        label={t("Timeout (minutes)")}
        hint={t("Leave empty for no timeout.")}
        inputMode="decimal"
        {...form.input("minutes")}
      />
      <Checkbox
        label={t("Catch up on a run missed while the server was down")}
        {...form.toggle("isCatchUp")}
      />
    </FormDialog>
  );
}

/** Parse stores the parameters of a schedule as a JSON string. */
function paramsText(row: JsonObject | undefined): string {
  if (!row) return "{}";
  const object = objectField(row, "params");
  return object ? prettyJson(object) : stringField(row, "params") || "{}";
}
