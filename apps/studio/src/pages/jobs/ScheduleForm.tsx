import type { JsonObject } from "@purse/protocol";
import { Checkbox, Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog.tsx";
import {
  numberField,
  objectField,
  parseJsonObject,
  prettyJson,
  stringField,
} from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useStudio } from "../../StudioContext.tsx";

/** Creates or edits a schedule. Schedules of Parse Dashboard without `cron` get one when they are edited. */
export function ScheduleForm({
  jobs,
  row,
  onClose,
}: {
  jobs: readonly string[];
  row: JsonObject | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [jobName, setJobName] = useState(row ? stringField(row, "jobName") : (jobs[0] ?? ""));
  const [cron, setCron] = useState(row ? stringField(row, "cron") : "0 3 * * *");
  const [description, setDescription] = useState(row ? stringField(row, "description") : "");
  const [params, setParams] = useState(() => paramsText(row));
  const [isCatchUp, setCatchUp] = useState(row ? stringField(row, "catchUp") === "once" : false);
  const [minutes, setMinutes] = useState(() => {
    const ms = row && numberField(row, "deadlineMs");
    return ms ? String(ms / 60_000) : "";
  });
  const parsedParams = parseJsonObject(params);
  const deadline = Number(minutes);
  const minutesProblem =
    minutes !== "" && !(deadline > 0) ? t("Enter a number of minutes, or leave empty.") : undefined;
  const save = useStudioMutation(
    () => {
      const fields: JsonObject = {
        jobName,
        cron: cron.trim(),
        description,
        params: JSON.stringify("value" in parsedParams ? parsedParams.value : {}),
        catchUp: isCatchUp ? "once" : "skip",
        ...(minutes !== "" && { deadlineMs: Math.round(deadline * 60_000) }),
        ...(minutes === "" && row?.deadlineMs !== undefined && { deadlineMs: { __op: "Delete" } }),
      };
      return row
        ? studio.put(`/schedules/${encodeURIComponent(stringField(row, "objectId"))}`, { fields })
        : studio.post("/schedules", { fields });
    },
    row ? t("Schedule updated") : t("{name} scheduled", { name: jobName }),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={row ? t("Edit schedule") : t("Schedule a job")}
      confirmLabel={row ? t("Save") : t("Schedule")}
      mutation={save}
      disabled={parsedParams.problem !== undefined || minutesProblem !== undefined || cron.trim() === ""}
    >
      <Select
        label={t("Job")}
        value={jobName}
        onChange={setJobName}
        options={[...new Set([...jobs, jobName])].map((key) => ({ key, label: key }))}
      />
      <Field
        label={t("When")}
        hint={t("Cron expression in UTC: minute, hour, day, month, weekday. 0 3 * * * runs daily at 3:00.")}
        value={cron}
        onChange={(event) => setCron(event.target.value)}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t("Description")}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        maxLength={500}
      />
      <JsonField label={t("Parameters")} value={params} onChange={setParams} rows={3} />
      <Field
        label={t("Timeout (minutes)")}
        hint={t("Leave empty for no timeout.")}
        inputMode="decimal"
        value={minutes}
        onChange={(event) => setMinutes(event.target.value)}
        problem={minutesProblem}
      />
      <Checkbox
        label={t("Catch up on a run missed while the server was down")}
        checked={isCatchUp}
        onChange={setCatchUp}
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
