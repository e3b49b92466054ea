import type { JsonObject, JsonValue, StudioBulkResult } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { Notice } from "../../../design/Status.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { runBulk, type Target } from "./bulk.ts";
import type { Column } from "./columns.ts";
import { Matched, useMatched } from "./DeleteRows.tsx";
import { fieldsOf } from "./drafts.ts";
import { ProgressLine } from "./ProgressLine.tsx";
import { SaveFile } from "./SaveFile.tsx";
import { readTyped } from "./typed.ts";

interface Setting {
  field: string;
  text: string;
  isTaken: boolean;
}

/** The same values into many rows, with how many those are. */
export function UpdateRows({
  className,
  target,
  columns,
  onDone,
  onClose,
}: {
  className: string;
  target: Target;
  /** Those that can be changed. */
  columns: readonly Column[];
  /** Told when rows have been changed. */
  onDone: () => void;
  onClose: () => void;
}) {
  const { t, count: say } = useTranslation();
  const studio = useStudio();
  const matched = useMatched(className, target);
  const [settings, setSettings] = useState<readonly Setting[]>([
    { field: columns[0]?.name ?? "", text: "", isTaken: false },
  ]);
  const [isTried, setIsTried] = useState(false);
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const stop = useRef(new AbortController());
  const run = useMutation({
    mutationFn: (fields: JsonObject): Promise<StudioBulkResult> => {
      stop.current = new AbortController();
      return runBulk(
        studio,
        className,
        { action: "update", fields },
        target,
        (done, all) => setProgress({ done, all }),
        stop.current.signal,
      );
    },
    onSettled: onDone,
  });
  const read = settings.map(({ field, text, isTaken }) => {
    const column = columns.find(({ name }) => name === field);
    if (isTaken || !column) return { value: null };
    return text === "" && column.type !== "String"
      ? { problem: t("Type a value, or take it away.") }
      : readTyped(text, column);
  });

  function go(): void {
    setIsTried(true);
    const changes: Record<string, JsonValue> = {};
    for (const [i, each] of read.entries()) {
      if (each.problem !== undefined) return;
      changes[settings[i]?.field ?? ""] = each.value;
    }
    run.mutate(fieldsOf({ changes }));
  }

  const set = (at: number, change: Partial<Setting>) =>
    setSettings(settings.map((each, i) => (i === at ? { ...each, ...change } : each)));
  const free = columns.filter(({ name }) => settings.every(({ field }) => field !== name));
  const { data } = run;
  if (data) return <Outcome {...{ data, onClose, className }} />;
  return (
    <Ask
      open
      wide
      onClose={onClose}
      title={t("Change rows of {name}", { name: className })}
      about={t("The same values go into all of them. Drafts of yours are not part of it.")}
      verb={t("Change rows")}
      busy={run.isPending}
      disabled={!matched.data || settings.length === 0}
      error={run.error}
      onDo={go}
    >
      <Matched answer={matched}>
        {(n) => say(n, "{n} row will be changed.", "{n} rows will be changed.")}
      </Matched>
      {settings.map(({ field, text, isTaken }, i) => {
        const column = columns.find(({ name }) => name === field);
        return (
          <fieldset key={field} className="bulk-field">
            <legend className="visually-hidden">{field}</legend>
            <Select
              label={t("Field")}
              value={field}
              onChange={(to) => set(i, { field: to, text: "" })}
              options={columns
                .filter(({ name }) => name === field || free.some((each) => each.name === name))
                .map(({ name }) => ({ key: name, label: name }))}
            />
            <Field
              label={t("Value")}
              hint={column?.targetClass ?? column?.type}
              value={isTaken ? "" : text}
              disabled={isTaken}
              problem={isTried ? read[i]?.problem : undefined}
              onChange={(event) => set(i, { text: event.target.value })}
              autoComplete="off"
            />
            <Checkbox
              label={t("Take the value away")}
              checked={isTaken}
              onChange={(to) => set(i, { isTaken: to })}
            />
            {settings.length > 1 && (
              <button
                type="button"
                className="icon-button"
                aria-label={t("Leave {name} as it is", { name: field })}
                onClick={() => setSettings(settings.filter((_, at) => at !== i))}
              >
                <X size={16} aria-hidden="true" />
              </button>
            )}
          </fieldset>
        );
      })}
      <div className="row">
        <Button
          small
          disabled={free.length === 0}
          onClick={() => setSettings([...settings, { field: free[0]?.name ?? "", text: "", isTaken: false }])}
        >
          <Plus size={15} aria-hidden="true" />
          {t("Another field")}
        </Button>
      </div>
      {run.isPending && (
        <ProgressLine
          {...progress}
          label={t("Changing: {done} of {all}", progress)}
          action={
            <Button small onClick={() => stop.current.abort()}>
              {t("Stop")}
            </Button>
          }
        />
      )}
    </Ask>
  );
}

function Outcome({
  data: { matched, changed, failed },
  className,
  onClose,
}: {
  data: StudioBulkResult;
  className: string;
  onClose: () => void;
}) {
  const { t, count: say } = useTranslation();
  const left = matched - changed - failed.length;
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Rows of {name}", { name: className })}
      verb={t("Close")}
      busy={false}
      onDo={onClose}
    >
      <p role="status">
        {say(changed, "{n} row is changed.", "{n} rows are changed.")}{" "}
        {left > 0 && say(left, "{n} row is as it was.", "{n} rows are as they were.")}
      </p>
      {failed.length > 0 && (
        <Notice
          kind="warning"
          title={say(failed.length, "{n} row was refused", "{n} rows were refused")}
          action={
            <SaveFile
              name={`${className}-refused.json`}
              text={JSON.stringify(failed, null, 2)}
              label={t("Save the reasons")}
            />
          }
        >
          <bdi>{`${failed[0]?.objectId}: ${failed[0]?.error}`}</bdi>
        </Notice>
      )}
    </Ask>
  );
}
