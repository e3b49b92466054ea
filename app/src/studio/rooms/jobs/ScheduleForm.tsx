import type { JsonObject } from "@purse/protocol";
import { useState } from "react";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { numberOf, objectOf, parsedObject, pretty, textOf } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";

/** A new schedule or a changed one. What Parse Dashboard wrote without `cron` gets one when it is changed here. */
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
  const [jobName, setJobName] = useState(row ? textOf(row, "jobName") : (jobs[0] ?? ""));
  const [cron, setCron] = useState(row ? textOf(row, "cron") : "0 3 * * *");
  const [description, setDescription] = useState(row ? textOf(row, "description") : "");
  const [params, setParams] = useState(() => paramsText(row));
  const [isMadeUp, setMadeUp] = useState(row ? textOf(row, "catchUp") === "once" : false);
  const [minutes, setMinutes] = useState(() => {
    const ms = row && numberOf(row, "deadlineMs");
    return ms ? String(ms / 60_000) : "";
  });
  const given = parsedObject(params);
  const deadline = Number(minutes);
  const minutesProblem =
    minutes !== "" && !(deadline > 0) ? t("A number of minutes, or nothing.") : undefined;
  const save = useChange(
    () => {
      const fields: JsonObject = {
        jobName,
        cron: cron.trim(),
        description,
        params: JSON.stringify("value" in given ? given.value : {}),
        catchUp: isMadeUp ? "once" : "skip",
        ...(minutes !== "" && { deadlineMs: Math.round(deadline * 60_000) }),
        ...(minutes === "" && row?.deadlineMs !== undefined && { deadlineMs: { __op: "Delete" } }),
      };
      return row
        ? studio.put(`/schedules/${encodeURIComponent(textOf(row, "objectId"))}`, { fields })
        : studio.post("/schedules", { fields });
    },
    row ? t("The schedule is changed.") : t("{name} is planned.", { name: jobName }),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={row ? t("Change the schedule") : t("Plan a job")}
      verb={row ? t("Save") : t("Plan")}
      busy={save.isPending}
      error={save.error}
      disabled={given.problem !== undefined || minutesProblem !== undefined || cron.trim() === ""}
      onDo={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      <Select
        label={t("Job")}
        value={jobName}
        onChange={setJobName}
        options={[...new Set([...jobs, jobName])].map((key) => ({ key, label: key }))}
      />
      <Field
        label={t("When")}
        hint={t("Minute, hour, day, month, day of the week, in UTC: 0 3 * * * is at three every night.")}
        value={cron}
        onChange={(event) => setCron(event.target.value)}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t("What for")}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        maxLength={500}
      />
      <JsonField label={t("Parameters")} value={params} onChange={setParams} rows={3} />
      <Field
        label={t("At most so many minutes")}
        hint={t("Empty: as long as it takes.")}
        inputMode="decimal"
        value={minutes}
        onChange={(event) => setMinutes(event.target.value)}
        problem={minutesProblem}
      />
      <Checkbox
        label={t("Make up for a run that was missed while no server ran")}
        checked={isMadeUp}
        onChange={setMadeUp}
      />
    </Ask>
  );
}

/** Parse keeps the parameters of a schedule as JSON text. */
function paramsText(row: JsonObject | undefined): string {
  if (!row) return "{}";
  const object = objectOf(row, "params");
  return object ? pretty(object) : textOf(row, "params") || "{}";
}
