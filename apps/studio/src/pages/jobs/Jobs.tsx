import type { JsonObject } from "@purse/protocol";
import type { StudioResponse } from "@purse/server/studio-api";
import {
  Button,
  formatDuration,
  MutationDialog,
  QueryState,
  RelativeTime,
  Select,
  Table,
  useTranslation,
} from "@purse/ui";
import { Play } from "lucide-react";
import { useState } from "react";
import { CrudSection } from "../../components/CrudSection.tsx";
import { CutText, RowStatus, RowTime } from "../../components/cells.tsx";
import {
  numberField,
  objectField,
  parseJsonObject,
  prettyJson,
  stringField,
  timeField,
} from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { ListSection } from "../../components/ListSection.tsx";
import { Page } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import {
  useInfiniteStudioQuery,
  useStudioMutation,
  useStudioQuery,
} from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { ScheduleForm } from "./ScheduleForm.tsx";
import { scheduleText } from "./scheduleText.ts";

type JobsResponse = StudioResponse<"GET", "/jobs">;

/** Cloud jobs: run now, schedules and history. */
export function Jobs() {
  const { t } = useTranslation();
  const jobs = useStudioQuery("/jobs", {});
  return (
    <Page
      title={t("Jobs")}
      description={t("Background jobs, run manually or on a schedule. All times in UTC.")}
      editRole="editor"
    >
      <QueryState query={jobs} label={t("Loading jobs…")}>
        {(data) => (
          <>
            <JobTable jobs={data.jobs} />
            <Schedules {...data} />
            <JobHistory jobs={data.jobs} />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function JobTable({ jobs }: Pick<JobsResponse, "jobs">) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [running, setRunning] = useState<string | undefined>(undefined);
  const [params, setParams] = useState("{}");
  const parsedParams = parseJsonObject(params);
  const name = running ?? "";
  const run = useStudioMutation(
    (studio) =>
      studio.post("/jobs/:name/run", { name, params: "value" in parsedParams ? parsedParams.value : {} }),
    t("{name} started. See History for the result.", { name }),
  );
  return (
    <ListSection
      title={t("Jobs")}
      rows={jobs}
      rowKey={(name) => name}
      empty={{ title: t("No jobs yet"), text: t("Define one in cloud code with Parse.Cloud.job.") }}
      columns={[{ label: t("Job"), cell: (name) => <code>{name}</code> }]}
      actions={(name) => (
        <Button
          icon={Play}
          small
          disabled={!canEdit}
          onClick={() => setRunning(name)}
          aria-label={t("Run {name} now", { name })}
        >
          {t("Run now")}
        </Button>
      )}
    >
      <MutationDialog
        open={running !== undefined}
        onClose={() => setRunning(undefined)}
        title={t("Run {name} now", { name })}
        description={t("The job runs in the background. You can leave this page.")}
        confirmLabel={t("Run")}
        mutation={run}
        disabled={parsedParams.problem !== undefined}
      >
        <JsonField label={t("Parameters")} value={params} onChange={setParams} />
      </MutationDialog>
    </ListSection>
  );
}

function Schedules({ jobs, defined, schedules }: JobsResponse) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  return (
    <CrudSection
      title={t("Schedules")}
      rows={schedules}
      rowKey={(row) => stringField(row, "objectId")}
      empty={{
        title: t("No schedules yet"),
        text: t("Schedules run a job automatically, for example every night."),
      }}
      columns={[
        { label: t("Job"), cell: (row) => <code>{stringField(row, "jobName")}</code> },
        { label: t("When"), cell: (row) => <ScheduleTime row={row} /> },
        {
          label: t("Description"),
          hideOnPhone: true,
          cell: (row) => <bdi>{stringField(row, "description")}</bdi>,
        },
        {
          label: t("Last run"),
          cell: (row) => {
            const last = numberField(row, "lastRun");
            return last ? <RelativeTime at={last} /> : <span className="soft">{t("Not yet")}</span>;
          },
        },
      ]}
      canEdit={canEdit}
      create={t("Schedule a job")}
      canCreate={jobs.length > 0}
      editLabel={(row) => t("Edit schedule of {name}", { name: stringField(row, "jobName") })}
      form={(row, onClose) => <ScheduleForm jobs={jobs} row={row} onClose={onClose} />}
      removal={{
        label: (row) => t("Remove schedule of {name}", { name: stringField(row, "jobName") }),
        title: () => t("Remove this schedule?"),
        description: (row) =>
          t("{name} will no longer run on this schedule.", { name: stringField(row, "jobName") }),
        run: (studio, row) =>
          studio.delete("/schedules/:objectId", { objectId: stringField(row, "objectId") }),
        successMessage: t("Schedule removed"),
      }}
    >
      {defined.length > 0 && (
        <>
          <h3>{t("Schedules defined in code")}</h3>
          <Table
            caption={t("Schedules defined in code")}
            rows={defined}
            rowKey={({ jobName, cron }) => `${jobName} ${cron}`}
            empty={null}
            columns={[
              { label: t("Job"), cell: ({ jobName }) => <code>{jobName}</code> },
              { label: t("When"), cell: ({ cron }) => <code>{cron}</code> },
              {
                label: t("Parameters"),
                hideOnPhone: true,
                cell: ({ params }) => <code>{JSON.stringify(params)}</code>,
              },
            ]}
          />
        </>
      )}
    </CrudSection>
  );
}

function ScheduleTime({ row }: { row: JsonObject }) {
  const { t, language } = useTranslation();
  const text = scheduleText(row, t, language);
  return text === row.cron ? <code>{text}</code> : text;
}

const REFETCH_INTERVAL_MS = 5_000;

function JobHistory({ jobs }: Pick<JobsResponse, "jobs">) {
  const { t, language } = useTranslation();
  const [jobParam, setJobName] = useSearchParam("job");
  const jobName = jobs.includes(jobParam) ? jobParam : "";
  const runs = useInfiniteStudioQuery("/jobs/history", { jobName }, REFETCH_INTERVAL_MS);
  return (
    <ListSection
      title={t("History")}
      query={runs}
      loadingLabel={t("Loading history…")}
      filters={
        <Select
          label={t("Job")}
          value={jobName}
          onChange={setJobName}
          options={[{ key: "", label: t("All jobs") }, ...jobs.map((key) => ({ key, label: key }))]}
        />
      }
      rowKey={(row) => stringField(row, "objectId")}
      empty={{ title: t("No runs yet") }}
      onClearFilters={jobName === "" ? undefined : () => setJobName("")}
      columns={[
        { label: t("Job"), cell: (row) => <code>{stringField(row, "jobName")}</code> },
        { label: t("Status"), cell: (row) => <RowStatus row={row} /> },
        { label: t("Message"), cell: (row) => <CutText text={stringField(row, "message")} /> },
        {
          label: t("Parameters"),
          hideOnPhone: true,
          cell: (row) => {
            const params = objectField(row, "params");
            return params && Object.keys(params).length > 0 ? (
              <CutText text={JSON.stringify(params)} title={prettyJson(params)} isCode />
            ) : null;
          },
        },
        {
          label: t("Triggered by"),
          hideOnPhone: true,
          cell: (row) => {
            const source = stringField(row, "source");
            return { api: t("A request"), schedule: t("A schedule") }[source] ?? source;
          },
        },
        {
          label: t("Duration"),
          number: true,
          cell: (row) => {
            const [from, to] = [timeField(row, "createdAt"), timeField(row, "finishedAt")];
            return from && to ? formatDuration(Date.parse(to) - Date.parse(from), language) : "–";
          },
        },
        { label: t("When"), cell: (row) => <RowTime row={row} /> },
      ]}
    />
  );
}
