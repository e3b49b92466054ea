import type { StudioImportResult } from "@purse/server/studio-api";
import {
  Checkbox,
  ConfirmDialog,
  FileInput,
  Notice,
  Select,
  Table,
  TextArea,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { type ImportFile, importRows, type Mapping, parseImportFile, suggestMapping } from "./importFile.ts";
import { useBatches } from "./ProgressLine.tsx";
import type { RowsDialogProps } from "./panel.ts";
import { SaveFileButton } from "./SaveFileButton.tsx";

const SKIP = "—";
/** Numbers of rejected rows that are shown. */
const MAX_NUMBERS = 20;

/** Imports rows from a file: column mapping, validation, import. */
export function ImportRows({ className, columns, onDone, onClose }: RowsDialogProps) {
  const texts = useTranslation();
  const { t } = texts;
  const studio = useStudio();
  const [file, setFile] = useState<ImportFile | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [mapping, setMapping] = useState<Mapping>({});
  const [keepIds, setKeepIds] = useState(false);
  const fields = columns.map(({ name }) => name);
  const useImport = (dryRun: boolean, onSettled?: () => void) =>
    useBatches((chosen: ImportFile, progress, signal) => {
      const options = { mapping, keepIds, dryRun };
      return importRows(studio, className, chosen, options, progress, signal);
    }, onSettled);
  const check = useImport(true);
  const run = useImport(false, onDone);
  const busy = check.isPending || run.isPending;

  function loadFile(name: string, text: string): void {
    check.reset();
    try {
      const parsed = parseImportFile(name, text);
      setFile(parsed);
      setMapping(suggestMapping(parsed.columns, keepIds ? [...fields, "objectId"] : fields));
      setProblem(undefined);
    } catch (error) {
      setFile(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  function mapColumn(column: string, field: string): void {
    check.reset();
    setMapping({ ...mapping, [column]: field === SKIP ? null : field });
  }

  const isMapped = Object.values(mapping).some((field) => field !== null);
  const targets = keepIds ? ["objectId", ...fields] : fields;
  if (run.data) return <Outcome result={run.data} className={className} file={file} onClose={onClose} />;
  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={t("Import rows of {name}", { name: className })}
      description={t("CSV with a header row, a JSON array, or one JSON object per line")}
      confirmLabel={
        check.data
          ? texts.t("{n, plural, one {Import # row} other {Import # rows}}", { n: check.data.imported })
          : t("Validate")
      }
      disabled={!file || !isMapped || check.data?.imported === 0}
      busy={busy}
      error={check.error ?? run.error}
      onConfirm={() => file && (check.data ? run : check).mutate(file)}
    >
      {check.data && !run.isPending && (
        <ImportErrors
          result={check.data}
          className={className}
          file={file}
          successText={texts.t("{n, plural, one {# row is valid} other {# rows are valid}}", {
            n: check.data.imported,
          })}
        />
      )}
      <FileInput
        label={t("File")}
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
        disabled={busy}
        onFile={async (selected) => loadFile(selected.name, await selected.text())}
      />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {!file && (
        <TextArea
          label={t("Or paste data")}
          rows={4}
          spellCheck={false}
          onChange={(event) =>
            event.target.value.trim() !== "" && loadFile(t("pasted text"), event.target.value)
          }
        />
      )}
      {file && (
        <>
          <p role="status">
            <bdi>{file.name}</bdi>:{" "}
            {texts.t("{n, plural, one {# row} other {# rows}}", { n: file.rows.length })}
          </p>
          <Table
            caption={t("Column mapping")}
            rows={file.columns}
            rowKey={(column) => column}
            empty={null}
            columns={[
              { label: t("Column"), cell: (column) => <bdi>{column}</bdi> },
              {
                label: t("Sample"),
                cell: (column) => <bdi className="cut">{file.samples[column]}</bdi>,
              },
              {
                label: t("Field"),
                cell: (column) => (
                  <Select
                    label={t("Field for {column}", { column })}
                    hideLabel
                    value={mapping[column] ?? SKIP}
                    onChange={(field) => mapColumn(column, field)}
                    disabled={busy}
                    options={[
                      { key: SKIP, label: t("Skip column") },
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
            label={t("Keep objectIds from the file (requires an objectId column)")}
            checked={keepIds}
            disabled={busy}
            onChange={(to) => {
              check.reset();
              setKeepIds(to);
              setMapping(suggestMapping(file.columns, to ? [...fields, "objectId"] : fields));
            }}
          />
        </>
      )}
      {check.renderProgress((progress) => t("Validating: {done, number} of {all, number}", progress))}
      {run.renderProgress((progress) => t("Importing: {done, number} of {all, number}", progress))}
    </ConfirmDialog>
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
  const texts = useTranslation();
  const { t } = texts;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Import rows of {name}", { name: className })}
      confirmLabel={t("Close")}
      onConfirm={onClose}
    >
      <ImportErrors
        {...{ result, className, file }}
        successText={texts.t("{n, plural, one {# row imported} other {# rows imported}}", {
          n: result.imported,
        })}
      />
    </ConfirmDialog>
  );
}

/** Numbers of valid and rejected rows, with a file of the rejected ones. */
function ImportErrors({
  result: { failed, failedRows, errorFile },
  className,
  file,
  successText,
}: {
  result: StudioImportResult;
  className: string;
  file: ImportFile | undefined;
  successText: string;
}) {
  const texts = useTranslation();
  const { t, language } = texts;
  const extension = file?.format === "json" ? "jsonl" : "csv";
  return (
    <>
      <p role="status">
        <strong>{successText}</strong>
      </p>
      {failed > 0 && (
        <Notice
          kind="warning"
          title={texts.t("{n, plural, one {# row was rejected} other {# rows were rejected}}", { n: failed })}
          action={
            <SaveFileButton
              name={`${className}-refused.${extension}`}
              text={errorFile}
              label={t("Download rejected rows")}
            />
          }
        >
          <p>
            {t("Rows {numbers}", {
              numbers: failedRows
                .slice(0, MAX_NUMBERS)
                .map((row) => row.toLocaleString(language))
                .concat(failed > MAX_NUMBERS ? ["…"] : [])
                .join(", "),
            })}
          </p>
          <pre className="dump">{errorFile.split(/\r?\n/).slice(0, 4).join("\n")}</pre>
        </Notice>
      )}
    </>
  );
}
