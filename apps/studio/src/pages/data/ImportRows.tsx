import { DELIMITERS, type Delimiter, isClassName, ownValue } from "@purse/protocol";
import type { StudioImportResult } from "@purse/server/studio-api";
import {
  Button,
  Checkbox,
  ConfirmDialog,
  Dialog,
  ErrorState,
  Field,
  FileInput,
  formatNumber,
  Notice,
  Select,
  Table,
  TextArea,
  useTranslation,
} from "@purse/ui";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { decodeText, ENCODINGS, type Encoding } from "./decodeText.ts";
import {
  type CsvFormat,
  type ImportFile,
  type ImportOutcome,
  importRows,
  type Mapping,
  parseImportFile,
  suggestMapping,
  withObjectIds,
} from "./importFile.ts";
import { type NewField, suggestNewFields, toClassName } from "./newFields.ts";
import { useBatches } from "./ProgressLine.tsx";
import type { RowsDialogProps } from "./rowDialogProps.ts";
import { SaveFileButton } from "./SaveFileButton.tsx";

const SKIP = "—";
/** Rejected rows whose reasons are shown. */
const MAX_REASONS = 20;
/** A file or pasted text, with what the user has chosen instead of what was detected. */
interface Source {
  name: string;
  content: Uint8Array | string;
  encoding?: Encoding;
  format?: Partial<CsvFormat>;
}
const NO_FIELDS: readonly string[] = [];

export interface ImportRowsProps extends Omit<RowsDialogProps, "className"> {
  /** Undefined for a new class. */
  className?: string;
  /** The names of all fields of the class, also of those that cannot be imported. */
  existingFields?: readonly string[];
  /** Called when the dialog is closed after rows have been imported into this class. */
  onImported?: (className: string) => void;
}

/** Imports rows from a file, also into new fields or a new class: column mapping, validation, import. */
export function ImportRows({
  className: existingClass,
  existingFields = NO_FIELDS,
  columns,
  onDone,
  onClose,
  onImported,
}: ImportRowsProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const queryClient = useQueryClient();
  const [file, setFile] = useState<ImportFile | undefined>(undefined);
  const [source, setSource] = useState<Source | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [mapping, setMapping] = useState<Mapping>({});
  const [keepIds, setKeepIds] = useState(false);
  const [newClass, setNewClass] = useState("");
  const className = existingClass ?? newClass;
  // Fields and the class are created by the first validation.
  const [created, setCreated] = useState<readonly NewField[]>([]);
  const [isClassCreated, setClassCreated] = useState(existingClass !== undefined);
  const fields = [...new Set([...columns, ...created].map(({ name }) => name))];
  const newFields = useMemo(
    () => (file ? suggestNewFields(file, [...existingFields, ...columns.map(({ name }) => name)]) : {}),
    [file, existingFields, columns],
  );
  const chosenFields = Object.values(newFields).filter(
    ({ name }) => Object.values(mapping).includes(name) && !fields.includes(name),
  );
  async function createTargets(): Promise<void> {
    const types = Object.fromEntries(chosenFields.map(({ name, type }) => [name, { type }]));
    const edit = { fields: types };
    const input = { className, edit };
    if (!isClassCreated)
      await studio.post("/schema/classes/:className", { className, edit: { ...edit, access: "closed" } });
    else if (chosenFields.length > 0) await studio.put("/schema/classes/:className", input);
    setClassCreated(true);
    void queryClient.invalidateQueries({ queryKey: ["/schema"] });
    setCreated([...created, ...chosenFields]);
  }
  const useImport = (dryRun: boolean, onSettled?: () => void) =>
    useBatches(async (chosen: ImportFile, progress, signal) => {
      if (dryRun) await createTargets();
      const options = { mapping, keepIds, dryRun };
      return importRows(studio, className, chosen, options, progress, signal);
    }, onSettled);
  const check = useImport(true);
  const run = useImport(false, onDone);
  const busy = check.isPending || run.isPending;
  // A validation that was stopped says nothing about the other rows.
  const checked = check.data?.remaining === 0 ? check.data : undefined;
  /** Stops what runs; the import then shows what it has done. */
  function close(): void {
    if (check.isPending) check.stop();
    else if (run.isPending) run.stop();
    else onClose();
  }

  function loadFile(chosen: Source): void {
    const { name, content } = chosen;
    check.reset();
    try {
      const { text, encoding } =
        typeof content === "string" ? { text: content } : decodeText(content, chosen.encoding);
      setSource(encoding ? { ...chosen, encoding } : chosen);
      const parsed = parseImportFile(name, text, chosen.format);
      setFile(parsed);
      const known = suggestMapping(parsed.columns, keepIds ? [...fields, "objectId"] : fields);
      setMapping(
        existingClass === undefined ? { ...known, ...namesOf(suggestNewFields(parsed, [])) } : known,
      );
      if (existingClass === undefined && !isClassCreated) setNewClass(toClassName(name));
      setProblem(undefined);
    } catch (error) {
      setFile(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  /** The option of a field that validation would create. */
  const newFieldOptions = (field: NewField | undefined) =>
    field && !fields.includes(field.name)
      ? [{ key: field.name, label: t("New field: {name} · {type}", { ...field }) }]
      : [];

  function mapColumn(column: string, field: string): void {
    check.reset();
    setMapping({ ...mapping, [column]: field === SKIP ? null : field });
  }

  const isMapped = Object.values(mapping).some((field) => field !== null);
  const targets = keepIds ? ["objectId", ...fields] : fields;
  const title =
    existingClass === undefined
      ? t("New class from file")
      : t("Import rows of {name}", { name: existingClass });
  const isNameValid = existingClass !== undefined || (isClassName(className) && !className.startsWith("_"));
  if (run.data) {
    const finish = () => {
      onClose();
      onImported?.(className);
    };
    return <Outcome title={title} result={run.data} className={className} file={file} onClose={finish} />;
  }
  return (
    <ConfirmDialog
      open
      wide
      onClose={close}
      title={title}
      description={t("CSV with a header row, a JSON array, or one JSON object per line")}
      confirmLabel={
        checked
          ? t("{n, plural, one {Import # row} other {Import # rows}}", { n: checked.imported })
          : !isClassCreated
            ? t("Create class and validate")
            : chosenFields.length > 0
              ? t("{n, plural, one {Create # field and validate} other {Create # fields and validate}}", {
                  n: chosenFields.length,
                })
              : t("Validate")
      }
      disabled={!file || !isMapped || !isNameValid || checked?.imported === 0}
      busy={busy}
      error={check.error ?? run.error}
      onConfirm={() => file && (checked ? run : check).mutate(file)}
    >
      {checked && !run.isPending && (
        <ImportErrors
          result={checked}
          className={className}
          file={file}
          successText={t("{n, plural, one {# row is valid} other {# rows are valid}}", {
            n: checked.imported,
          })}
        />
      )}
      <FileInput
        label={t("File")}
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson"
        disabled={busy}
        onFile={async (selected) =>
          loadFile({ name: selected.name, content: new Uint8Array(await selected.arrayBuffer()) })
        }
      />
      {problem !== undefined && (
        <div className="problem" role="alert">
          {problem.split("\n").map((line) => (
            <p key={line}>{line}</p>
          ))}
        </div>
      )}
      {source && <FileFormat {...{ source, file }} disabled={busy} onChange={loadFile} />}
      {!file && (
        <TextArea
          label={t("Or paste data")}
          rows={4}
          spellCheck={false}
          onText={(to) => to.trim() !== "" && loadFile({ name: t("pasted text"), content: to })}
        />
      )}
      {file && (
        <>
          {existingClass === undefined && (
            <Field
              label={t("Class name")}
              hint={t("Clients can't access the class until you set its permissions.")}
              value={newClass}
              disabled={busy || isClassCreated}
              maxLength={128}
              isCode
              problem={
                newClass !== "" && !isNameValid
                  ? t("Use letters, digits and _, starting with a letter.")
                  : undefined
              }
              onText={setNewClass}
            />
          )}
          <p role="status">
            <bdi>{file.name}</bdi>: {t("{n, plural, one {# row} other {# rows}}", { n: file.rows.length })}
          </p>
          <Table
            caption={t("Column mapping")}
            rows={file.columns}
            rowKey={(column) => column}
            empty={null}
            columns={[
              { label: t("Column"), cell: (column) => <bdi>{column}</bdi> },
              { label: t("Sample"), cell: (column) => <bdi className="cut">{file.samples[column]}</bdi> },
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
                        label: `${name} · ${[...columns, ...created].find((each) => each.name === name)?.type ?? "String"}`,
                      })),
                      ...newFieldOptions(ownValue(newFields, column)),
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
              setMapping(withObjectIds(file.columns, mapping, to));
            }}
          />
        </>
      )}
      {check.renderProgress((progress) => t("Validating: {done, number} of {all, number}", progress))}
      {run.renderProgress((progress) => t("Importing: {done, number} of {all, number}", progress))}
    </ConfirmDialog>
  );
}

/** The names of new fields by column. */
function namesOf(fields: Readonly<Record<string, NewField>>): Mapping {
  return Object.fromEntries(Object.entries(fields).map(([column, { name }]) => [column, name]));
}

interface FileFormatProps {
  source: Source;
  /** Undefined if the source cannot be read. */
  file: ImportFile | undefined;
  disabled: boolean;
  onChange: (source: Source) => void;
}

/** How a file is read. What was detected can be changed. */
function FileFormat({ source, file, disabled, onChange }: FileFormatProps) {
  const { t } = useTranslation();
  const delimiters: Record<Delimiter, string> = {
    ",": t("Comma"),
    ";": t("Semicolon"),
    "\t": t("Tab"),
    "|": t("Vertical bar"),
  };
  const { encoding, format } = source;
  const isCsv = file?.format !== "json";
  const { delimiter = ",", decimal = "." } = file?.format === "csv" ? file : { ...format };
  return (
    <>
      <div className="row">
        {encoding && (
          <Select
            label={t("Encoding")}
            value={encoding}
            disabled={disabled}
            options={ENCODINGS.map((key) => ({ key, label: key.toUpperCase() }))}
            onChange={(to) => onChange({ ...source, encoding: to })}
          />
        )}
        {isCsv && (
          <>
            <Select
              label={t("Delimiter")}
              value={delimiter}
              disabled={disabled}
              options={DELIMITERS.map((key) => ({ key, label: delimiters[key] }))}
              onChange={(to) => onChange({ ...source, format: { ...format, delimiter: to } })}
            />
            <Select
              label={t("Decimal separator")}
              value={decimal}
              disabled={disabled}
              options={[
                { key: ".", label: t("Point") },
                { key: ",", label: t("Comma") },
              ]}
              onChange={(to) => onChange({ ...source, format: { ...format, decimal: to } })}
            />
          </>
        )}
      </div>
      {isCsv && (
        <p className="hint">
          {t("Dates are read as 2024-03-31 or 2024-03-31T18:30Z. Times without a zone are in UTC.")}
        </p>
      )}
    </>
  );
}

interface OutcomeProps {
  title: string;
  result: ImportOutcome;
  className: string;
  file: ImportFile | undefined;
  onClose: () => void;
}

function Outcome({ title, result, className, file, onClose }: OutcomeProps) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <Button variant="primary" onClick={onClose}>
          {t("Done")}
        </Button>
      }
    >
      <div className="stack">
        <ImportErrors
          {...{ result, className, file }}
          successText={t("{n, plural, one {# row imported} other {# rows imported}}", { n: result.imported })}
        />
        {result.remaining > 0 && (
          <Notice
            kind="warning"
            title={t("{n, plural, one {# row was not imported} other {# rows were not imported}}", {
              n: result.remaining,
            })}
          >
            {result.error === undefined
              ? t("You canceled the import.")
              : t("The import failed. Some of these rows may have been imported nevertheless.")}
          </Notice>
        )}
        {result.error !== undefined && <ErrorState error={result.error} />}
      </div>
    </Dialog>
  );
}

/** Numbers of valid and rejected rows, with the reasons and a file of the rejected ones. */
function ImportErrors({
  result: { failed, failedRows, reasons, errorFile },
  className,
  file,
  successText,
}: {
  result: StudioImportResult;
  className: string;
  file: ImportFile | undefined;
  successText: string;
}) {
  const { t, language } = useTranslation();
  const rejected = failedRows.slice(0, MAX_REASONS).map((row, i) => {
    const reason = reasons[i] ?? "";
    const line = file?.lines?.[row - 1];
    const number = formatNumber(line ?? row, language);
    return line === undefined
      ? t("Row {number}: {reason}", { number, reason })
      : t("Line {number}: {reason}", { number, reason });
  });
  const extension = file?.format === "json" ? "jsonl" : "csv";
  return (
    <>
      <p role="status">
        <strong>{successText}</strong>
      </p>
      {failed > 0 && (
        <Notice
          kind="warning"
          title={t("{n, plural, one {# row was rejected} other {# rows were rejected}}", { n: failed })}
          action={
            <SaveFileButton
              name={`${className}-refused.${extension}`}
              text={errorFile}
              label={t("Download rejected rows")}
            />
          }
        >
          <ul>
            {rejected.map((text) => (
              <li key={text}>{text}</li>
            ))}
            {failed > MAX_REASONS && <li>…</li>}
          </ul>
        </Notice>
      )}
    </>
  );
}
