import type { JsonObject } from "@purse/protocol";
import { Play, Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Status, type StatusKind } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange, useRows } from "../parts/asking.ts";
import { numberOf, objectOf, parsedObject, pretty, textOf, timeOf } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";
import { Answered, Room, Rows, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { ScheduleForm } from "./ScheduleForm.tsx";

interface JobsAnswer {
  jobs: string[];
  defined: { jobName: string; cron: string; params: JsonObject }[];
  schedules: JsonObject[];
}

/** Jobs of the cloud code: run now, planned, and how runs ended. */
export function Jobs() {
  const { t } = useTranslation();
  const jobs = useAnswer<JobsAnswer>("/jobs");
  return (
    <Room
      title={t("Jobs")}
      about={t("Work that runs by itself or when you say so. Times of schedules are in UTC.")}
      changes="editor"
    >
      <Answered answer={jobs} label={t("Loading the jobs")}>
        {(data) => (
          <>
            <Defined jobs={data.jobs} />
            <Schedules {...data} />
            <History jobs={data.jobs} />
          </>
        )}
      </Answered>
    </Room>
  );
}

function Defined({ jobs }: Pick<JobsAnswer, "jobs">) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const [running, setRunning] = useState<string | undefined>(undefined);
  const [params, setParams] = useState("{}");
  const given = parsedObject(params);
  const run = useChange(
    (name: string) =>
      studio.post(`/jobs/${encodeURIComponent(name)}/run`, { params: "value" in given ? given.value : {} }),
    (_, name) => t("{name} has begun. The history tells how it ends.", { name }),
  );
  return (
    <Section title={t("Jobs of the code")}>
      <Table
        caption={t("Jobs of the code")}
        rows={jobs}
        rowKey={(name) => name}
        empty={
          <EmptyState title={t("There is no job yet")}>
            {t("Parse.Cloud.job in the cloud code makes one.")}
          </EmptyState>
        }
        columns={[
          { key: "name", label: t("Job"), cell: (name) => <code>{name}</code> },
          {
            key: "run",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (name) => (
              <Button
                small
                disabled={!may}
                onClick={() => setRunning(name)}
                aria-label={t("Run {name} now", { name })}
              >
                <Play size={15} aria-hidden="true" />
                {t("Run now")}
              </Button>
            ),
          },
        ]}
      />
      <Ask
        open={running !== undefined}
        onClose={() => setRunning(undefined)}
        title={t("Run {name} now", { name: running ?? "" })}
        about={t("It runs on the server; you need not wait here.")}
        verb={t("Run")}
        busy={run.isPending}
        error={run.error}
        disabled={given.problem !== undefined}
        onDo={() => running && run.mutate(running, { onSuccess: () => setRunning(undefined) })}
      >
        <JsonField label={t("Parameters")} value={params} onChange={setParams} />
      </Ask>
    </Section>
  );
}

function Schedules({ jobs, defined, schedules }: JobsAnswer) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const [edited, setEdited] = useState<JsonObject | "new" | undefined>(undefined);
  const [gone, setGone] = useState<JsonObject | undefined>(undefined);
  const remove = useChange(
    (row: JsonObject) => studio.delete(`/schedules/${encodeURIComponent(textOf(row, "objectId"))}`),
    t("The schedule is gone."),
  );
  return (
    <Section
      title={t("Schedules")}
      actions={
        <Button small disabled={!may || jobs.length === 0} onClick={() => setEdited("new")}>
          <Plus size={15} aria-hidden="true" />
          {t("Plan a job")}
        </Button>
      }
    >
      <Table
        caption={t("Schedules")}
        rows={schedules}
        rowKey={(row) => textOf(row, "objectId")}
        empty={
          <EmptyState title={t("No job is planned here")}>
            {t("A schedule has a job run every night, for example, without a change of the code.")}
          </EmptyState>
        }
        columns={[
          { key: "job", label: t("Job"), cell: (row) => <code>{textOf(row, "jobName")}</code> },
          { key: "when", label: t("When"), cell: (row) => <code>{whenOf(row)}</code> },
          {
            key: "about",
            label: t("What for"),
            hideOnPhone: true,
            cell: (row) => <bdi>{textOf(row, "description")}</bdi>,
          },
          {
            key: "last",
            label: t("Last run"),
            cell: (row) => {
              const last = numberOf(row, "lastRun");
              return last ? <RelativeTime at={last} /> : <span className="soft">{t("Not yet")}</span>;
            },
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (row) => (
              <span className="actions">
                <Button
                  small
                  disabled={!may}
                  onClick={() => setEdited(row)}
                  aria-label={t("Change the schedule of {name}", { name: textOf(row, "jobName") })}
                >
                  {t("Change")}
                </Button>
                <Button
                  small
                  variant="danger"
                  disabled={!may}
                  onClick={() => setGone(row)}
                  aria-label={t("Remove the schedule of {name}", { name: textOf(row, "jobName") })}
                >
                  {t("Remove")}
                </Button>
              </span>
            ),
          },
        ]}
      />
      {defined.length > 0 && (
        <>
          <h3>{t("Schedules of the code")}</h3>
          <Table
            caption={t("Schedules of the code")}
            rows={defined}
            rowKey={({ jobName, cron }) => `${jobName} ${cron}`}
            empty={null}
            columns={[
              { key: "job", label: t("Job"), cell: ({ jobName }) => <code>{jobName}</code> },
              { key: "when", label: t("When"), cell: ({ cron }) => <code>{cron}</code> },
              {
                key: "params",
                label: t("Parameters"),
                hideOnPhone: true,
                cell: ({ params }) => <code>{JSON.stringify(params)}</code>,
              },
            ]}
          />
        </>
      )}
      {edited !== undefined && (
        <ScheduleForm
          key={edited === "new" ? "new" : textOf(edited, "objectId")}
          jobs={jobs}
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Remove this schedule?")}
        about={t("{name} does not run by it any more.", { name: gone ? textOf(gone, "jobName") : "" })}
        verb={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </Section>
  );
}

/** When a row of `_JobSchedule` runs, shortly. */
function whenOf(row: JsonObject): string {
  const cron = textOf(row, "cron");
  if (cron !== "") return cron;
  const days = Array.isArray(row.daysOfWeek) ? row.daysOfWeek.join(",") : "";
  if (days !== "") return `${textOf(row, "timeOfDay")} (${days})`;
  const every = numberOf(row, "repeatMinutes");
  return `${textOf(row, "startAfter")}${every ? ` +${every} min` : ""}`;
}

const KIND: Record<string, StatusKind> = { succeeded: "ok", failed: "danger", running: "busy" };
const EVERY_MS = 5_000;

function History({ jobs }: Pick<JobsAnswer, "jobs">) {
  const { t } = useTranslation();
  const [jobName, setJobName] = useUrl("job");
  const runs = useRows("/jobs/history", { jobName }, EVERY_MS);
  return (
    <Section title={t("History")}>
      <div className="filters">
        <Select
          label={t("Runs of")}
          value={jobs.includes(jobName) ? jobName : ""}
          onChange={setJobName}
          options={[{ key: "", label: t("All jobs") }, ...jobs.map((key) => ({ key, label: key }))]}
        />
      </div>
      <Rows query={runs} label={t("Loading the history")}>
        {(rows) => (
          <Table
            caption={t("History")}
            rows={rows}
            rowKey={(row) => textOf(row, "objectId")}
            empty={<EmptyState title={t("Nothing has run yet")} />}
            columns={[
              { key: "job", label: t("Job"), cell: (row) => <code>{textOf(row, "jobName")}</code> },
              {
                key: "status",
                label: t("Status"),
                cell: (row) => (
                  <Status kind={KIND[textOf(row, "status")] ?? "idle"}>{textOf(row, "status")}</Status>
                ),
              },
              {
                key: "message",
                label: t("Message"),
                cell: (row) => (
                  <bdi className="cut" title={textOf(row, "message")}>
                    {textOf(row, "message")}
                  </bdi>
                ),
              },
              {
                key: "params",
                label: t("Parameters"),
                hideOnPhone: true,
                cell: (row) => {
                  const params = objectOf(row, "params");
                  return params && Object.keys(params).length > 0 ? (
                    <code className="cut" title={pretty(params)}>
                      {JSON.stringify(params)}
                    </code>
                  ) : null;
                },
              },
              {
                key: "source",
                label: t("Begun by"),
                hideOnPhone: true,
                cell: (row) => textOf(row, "source"),
              },
              {
                key: "took",
                label: t("Took"),
                number: true,
                cell: (row) => {
                  const [from, to] = [timeOf(row, "createdAt"), timeOf(row, "finishedAt")];
                  return from && to ? `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s` : "–";
                },
              },
              {
                key: "at",
                label: t("When"),
                cell: (row) => <RelativeTime at={timeOf(row, "createdAt") ?? ""} />,
              },
            ]}
          />
        )}
      </Rows>
    </Section>
  );
}
