import type { StudioImportResult } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { TextArea } from "../../../design/Field.tsx";
import { Notice } from "../../../design/Status.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import type { Column } from "./columns.ts";
import { FileInput } from "./editors/FileInput.tsx";
import { type ImportFile, importFile, type Mapping, mappingOf, sendRows } from "./importing.ts";
import { ProgressLine } from "./ProgressLine.tsx";
import { SaveFile } from "./SaveFile.tsx";

const LEFT_OUT = "—";

/** Rows out of a file: which column goes where, what would be refused, and then the rows. */
export function ImportRows({
  className,
  columns,
  onDone,
  onClose,
}: {
  className: string;
  /** Those that can be set. */
  columns: readonly Column[];
  /** Told when rows have come. */
  onDone: () => void;
  onClose: () => void;
}) {
  const { t, count: say } = useTranslation();
  const studio = useStudio();
  const [file, setFile] = useState<ImportFile | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [mapping, setMapping] = useState<Mapping>({});
  const [keepIds, setKeepIds] = useState(false);
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const stop = useRef(new AbortController());
  const fields = columns.map(({ name }) => name);

  function send(dryRun: boolean): Promise<StudioImportResult> {
    if (!file) throw new Error("There is no file to import");
    stop.current = new AbortController();
    const told = (done: number, all: number) => setProgress({ done, all });
    const how = { mapping, keepIds, dryRun };
    return sendRows(studio, className, file, how, told, stop.current.signal);
  }
  const check = useMutation({ mutationFn: () => send(true) });
  const run = useMutation({ mutationFn: () => send(false), onSettled: onDone });
  const busy = check.isPending || run.isPending;

  function take(name: string, text: string): void {
    check.reset();
    try {
      const read = importFile(name, text);
      setFile(read);
      setMapping(mappingOf(read.columns, keepIds ? [...fields, "objectId"] : fields));
      setProblem(undefined);
    } catch (error) {
      setFile(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  function map(column: string, field: string): void {
    check.reset();
    setMapping({ ...mapping, [column]: field === LEFT_OUT ? null : field });
  }

  const isMapped = Object.values(mapping).some((field) => field !== null);
  const targets = keepIds ? ["objectId", ...fields] : fields;
  if (run.data) return <Outcome result={run.data} className={className} file={file} onClose={onClose} />;
  return (
    <Ask
      open
      wide
      onClose={onClose}
      title={t("Import rows of {name}", { name: className })}
      about={t("CSV with names in its first line, a JSON list, or one JSON object on each line.")}
      verb={check.data ? say(check.data.imported, "Import {n} row", "Import {n} rows") : t("Check the file")}
      disabled={!file || !isMapped || check.data?.imported === 0}
      busy={busy}
      error={check.error ?? run.error}
      onDo={() => (check.data ? run.mutate() : check.mutate())}
    >
      <FileInput
        label={t("File")}
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
        disabled={busy}
        onFile={async (given) => take(given.name, await given.text())}
      />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {!file && (
        <TextArea
          label={t("Or paste it here")}
          rows={4}
          spellCheck={false}
          onChange={(event) => event.target.value.trim() !== "" && take(t("pasted text"), event.target.value)}
        />
      )}
      {file && (
        <>
          <p role="status">
            <bdi>{file.name}</bdi>: {say(file.rows.length, "{n} row", "{n} rows")}
          </p>
          <Table
            caption={t("Which column goes where")}
            rows={file.columns}
            rowKey={(column) => column}
            empty={null}
            columns={[
              { key: "column", label: t("Column"), cell: (column) => <bdi>{column}</bdi> },
              {
                key: "sample",
                label: t("For example"),
                cell: (column) => <bdi className="cut">{file.samples[column]}</bdi>,
              },
              {
                key: "field",
                label: t("Field"),
                cell: (column) => (
                  <Select
                    label={t("Field for {column}", { column })}
                    hideLabel
                    value={mapping[column] ?? LEFT_OUT}
                    onChange={(field) => map(column, field)}
                    disabled={busy}
                    options={[
                      { key: LEFT_OUT, label: t("is left out") },
                      ...targets.map((name) => ({
                        key: name,
                        label: `${name} · ${columns.find((each) => each.name === name)?.type ?? "String"}`,
                      })),
                    ]}
                  />
                ),
              },
            ]}
          />
          <Checkbox
            label={t("Keep the ids of the file (a column must be objectId)")}
            checked={keepIds}
            disabled={busy}
            onChange={(to) => {
              check.reset();
              setKeepIds(to);
              setMapping(mappingOf(file.columns, to ? [...fields, "objectId"] : fields));
            }}
          />
        </>
      )}
      {busy && (
        <ProgressLine
          {...progress}
          label={
            check.isPending
              ? t("Checking: {done} of {all}", progress)
              : t("Importing: {done} of {all}", progress)
          }
          action={
            <Button small onClick={() => stop.current.abort()}>
              {t("Stop")}
            </Button>
          }
        />
      )}
      {check.data && !run.isPending && (
        <Refusals
          result={check.data}
          className={className}
          file={file}
          fine={say(check.data.imported, "{n} row fits.", "{n} rows fit.")}
        />
      )}
    </Ask>
  );
}

function Outcome({
  result,
  className,
  file,
  onClose,
}: {
  result: StudioImportResult;
  className: string;
  file: ImportFile | undefined;
  onClose: () => void;
}) {
  const { t, count: say } = useTranslation();
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Import rows of {name}", { name: className })}
      verb={t("Close")}
      busy={false}
      onDo={onClose}
    >
      <Refusals
        {...{ result, className, file }}
        fine={say(result.imported, "{n} row is imported.", "{n} rows are imported.")}
      />
    </Ask>
  );
}

/** How many there are of each, and the file of those that were refused. */
function Refusals({
  result: { failed, errorFile },
  className,
  file,
  fine,
}: {
  result: StudioImportResult;
  className: string;
  file: ImportFile | undefined;
  fine: string;
}) {
  const { t, count: say } = useTranslation();
  const ending = file?.format === "json" ? "jsonl" : "csv";
  return (
    <>
      <p role="status">
        <strong>{fine}</strong>
      </p>
      {failed > 0 && (
        <Notice
          kind="warning"
          title={say(failed, "{n} row is refused", "{n} rows are refused")}
          action={
            <SaveFile
              name={`${className}-refused.${ending}`}
              text={errorFile}
              label={t("Save the refused rows")}
            />
          }
        >
          <pre className="dump">{errorFile.split(/\r?\n/).slice(0, 4).join("\n")}</pre>
        </Notice>
      )}
    </>
  );
}
