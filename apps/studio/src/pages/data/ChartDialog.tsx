import type { JsonObject } from "@purse/protocol";
import type { StudioChart } from "@purse/server/studio-api";
import {
  Button,
  Chart,
  Dialog,
  EmptyState,
  ErrorState,
  Field,
  formatCount,
  formatSignificant,
  QueryState,
  Select,
  Skeleton,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import {
  type ChartConfig,
  FUNCTIONS,
  INTERVALS,
  intervalName,
  SHAPES,
  toTimeline,
  withKnownFields,
} from "./chart.ts";
import type { Column } from "./columns.ts";
import "./ChartDialog.css";

const GROUP_TYPES = new Set(["Date", "String", "Number", "Boolean", "Pointer"]);

const COUNT_ONLY = ["count"] as const;

export interface ChartDialogProps {
  className: string;
  columns: readonly Pick<Column, "name" | "type">[];
  where: JsonObject | undefined;
  chart: ChartConfig;
  onChange: (chart: ChartConfig) => void;
  /** Saves the chart with its filters as a view. */
  onSave: (name: string) => void;
  /** Why it was not saved. */
  saveError?: Error | null;
  onClose: () => void;
}

/** A chart of the rows that match the filters: their number, or an aggregate of a field, by time or group. */
export function ChartDialog(props: ChartDialogProps) {
  const { className, columns, where, chart, onChange, onSave, saveError, onClose } = props;
  const { t } = useTranslation();
  const namesOf = (hasType: (type: string) => boolean) =>
    columns.filter(({ type }) => hasType(type)).map(({ name }) => name);
  const numberFields = namesOf((type) => type === "Number");
  const groupFields = namesOf((type) => GROUP_TYPES.has(type)).filter((name) => name !== "objectId");
  const shown = withKnownFields(chart, numberFields, groupFields);
  const isTime = columns.some(({ name, type }) => name === shown.by && type === "Date");
  const { fn, field, by, interval } = shown;
  const query = useStudioQuery("/data/:className/chart", {
    className,
    where,
    fn,
    by,
    ...(fn !== "count" && { field }),
    ...(isTime ? { interval, limit: 500 } : { limit: 50 }),
  });
  const change = (some: Partial<ChartConfig>) => onChange({ ...shown, ...some });
  const functionLabels: Record<ChartConfig["fn"], string> = {
    count: t("Number of rows"),
    sum: t("Sum"),
    avg: t("Average"),
    min: t("Minimum"),
    max: t("Maximum"),
  };
  const intervalLabels: Record<ChartConfig["interval"], string> = {
    hour: t("Hour"),
    day: t("Day"),
    month: t("Month"),
    year: t("Year"),
  };
  const shapeLabels: Record<ChartConfig["shape"], string> = { line: t("Line"), bar: t("Bars") };
  const optionsOf = <K extends string>(keys: readonly K[], labels: Record<K, string>) =>
    keys.map((key) => ({ key, label: labels[key] }));
  const fieldOptions = (names: readonly string[]) => names.map((key) => ({ key, label: key }));
  const label = `${functionLabels[fn]}${fn === "count" ? "" : ` (${field})`} · ${by}`;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("Chart of {name}", { name: className })}
      description={t("Aggregates all rows that match the filters. Times are in UTC.")}
    >
      <div className="stack">
        <div className="chart-options">
          <Select
            label={t("Value")}
            options={optionsOf(numberFields.length > 0 ? FUNCTIONS : COUNT_ONLY, functionLabels)}
            value={fn}
            onChange={(key) => change({ fn: key })}
          />
          {fn !== "count" && field !== undefined && (
            <Select
              label={t("Field")}
              options={fieldOptions(numberFields)}
              value={field}
              onChange={(key) => change({ field: key })}
            />
          )}
          <Select
            label={t("Group by")}
            options={fieldOptions(groupFields)}
            value={by}
            onChange={(key) => change({ by: key })}
          />
          {isTime && (
            <>
              <Select
                label={t("Interval")}
                options={optionsOf(INTERVALS, intervalLabels)}
                value={interval}
                onChange={(key) => change({ interval: key })}
              />
              <Select
                label={t("Chart type")}
                options={optionsOf(SHAPES, shapeLabels)}
                value={shown.shape}
                onChange={(key) => change({ shape: key })}
              />
            </>
          )}
        </div>
        <QueryState
          query={query}
          label={t("Loading chart…")}
          skeleton={<Skeleton width="100%" height="16rem" />}
        >
          {(data) =>
            data.points.length === 0 ? (
              <EmptyState title={t("No rows match the filters")} />
            ) : (
              <ChartContent data={data} label={label} chart={shown} isTime={isTime} />
            )
          }
        </QueryState>
        <SaveChart onSave={onSave} />
        {saveError && <ErrorState error={saveError} />}
      </div>
    </Dialog>
  );
}

function SaveChart({ onSave }: Pick<ChartDialogProps, "onSave">) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const trimmed = name.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed === "") return;
        onSave(trimmed);
        setName("");
      }}
    >
      <Field
        label={t("Save as view")}
        value={name}
        maxLength={80}
        onText={setName}
        autoComplete="off"
        after={
          <Button type="submit" disabled={trimmed === ""}>
            {t("Save")}
          </Button>
        }
      />
    </form>
  );
}

interface ChartContentProps {
  data: StudioChart;
  label: string;
  chart: ChartConfig;
  isTime: boolean;
}

/** The line or the bars, and whether there are more. */
function ChartContent({ data, label, chart, isTime }: ChartContentProps) {
  const { t, language } = useTranslation();
  const format = (value: number) => formatSignificant(value, language);
  const timeline = isTime && chart.shape === "line" ? toTimeline(data.points, chart) : undefined;
  const isLine = timeline !== undefined && timeline.points.length > 1;
  return (
    <>
      {isLine ? (
        <Chart
          label={label}
          points={timeline.points}
          format={chart.fn === "count" ? (value) => formatCount(value, language) : format}
          height={260}
          timeZone="UTC"
          hasTimes={chart.interval === "hour"}
        />
      ) : (
        <Bars data={data} label={label} format={format} interval={isTime ? chart.interval : undefined} />
      )}
      {(data.isCapped || (isLine && timeline.isCut)) && (
        <p className="soft small">
          {isTime
            ? t("Earlier times are not shown. Choose a longer interval or add a filter.")
            : t("Only the 50 highest values are shown.")}
        </p>
      )}
    </>
  );
}

interface BarsProps extends Omit<ChartContentProps, "chart" | "isTime"> {
  format: (value: number) => string;
  /** Undefined for groups that are no times. */
  interval: ChartConfig["interval"] | undefined;
}

function Bars({ data, label, format, interval }: BarsProps) {
  const { t, language } = useTranslation();
  const nameOf = (key: NonNullable<StudioChart["points"][number]["key"]>) =>
    interval ? intervalName(key, interval, language) : String(key);
  const bars = data.points.map(({ key, value }) => ({
    id: JSON.stringify(key),
    name: key === null ? t("(empty)") : nameOf(key),
    value,
  }));
  const highest = Math.max(...bars.map(({ value }) => Math.abs(value ?? 0)));
  return (
    <table className="bars">
      <caption className="visually-hidden">{label}</caption>
      <tbody>
        {bars.map(({ id, name, value }) => (
          <tr key={id}>
            <th scope="row">
              <bdi className="cut" title={name}>
                {name}
              </bdi>
            </th>
            <td className="bar-cell" aria-hidden="true">
              <span
                className="bar"
                style={{ width: `${highest === 0 ? 0 : (Math.abs(value ?? 0) / highest) * 100}%` }}
              />
            </td>
            <td className="number">{value === null ? "–" : format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
