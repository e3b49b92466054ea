import { type ParseObject, ParseObject as Record } from "@purse/client";
import { useMoralis } from "@purse/react";
import { X } from "lucide-react";
import { type FormEvent, useId, useMemo, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Moment } from "../../design/Moment.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { AccessEditor } from "./AccessEditor.tsx";
import { accessInWords, aclOf, type Grant, grantsOf, mayWrite } from "./access.ts";
import { Conflict } from "./Conflict.tsx";
import type { FieldOf } from "./columns.ts";
import { NewField } from "./NewField.tsx";
import { ValueEditor } from "./ValueEditor.tsx";
import { isSame, parse, summary, type Typed, typedOf, typeOf } from "./values.ts";

export interface RecordPanelProps {
  className: string;
  /** Undefined makes a new one. */
  record: ParseObject | undefined;
  fields: readonly FieldOf[];
  /** Whether records may have fields that the class has not. */
  addsFields: boolean;
  onClose: () => void;
  onSaved: (record: ParseObject) => void;
}

interface Row {
  name: string;
  typed: Typed;
  /** As it was when editing began. */
  before: Typed | undefined;
}

/** One record beside the list: read, changed, made. What others save meanwhile is shown, never overwritten. */
export function RecordPanel({ className, record, fields, addsFields, onClose, onSaved }: RecordPanelProps) {
  const texts = useTexts();
  const { t, language } = texts;
  const { user, Moralis } = useMoralis();
  const formId = useId();
  const toast = useToast();
  const begun = useMemo(() => beginOf(record, fields, language), [record, fields, language]);
  const [rows, setRows] = useState<readonly Row[]>(begun.rows);
  const [grants, setGrants] = useState<readonly Grant[] | undefined>(() =>
    record ? grantsOf(record.getACL()) : startGrants(user?.id),
  );
  // The record itself moves on as others save it; what editing began with stays.
  const [base, setBase] = useState({ at: record?.updatedAt?.getTime(), values: begun.values, grants });
  const [problems, setProblems] = useState<Readonly<{ [name: string]: string }>>({});
  const [theirs, setTheirs] = useState<ParseObject>();
  const [error, setError] = useState<unknown>();
  const [isSaving, setIsSaving] = useState(false);
  const isMine = record === undefined ? user !== null : mayWrite(grantsOf(record.getACL()), user?.id);
  const hasMoved = record !== undefined && record.updatedAt?.getTime() !== base.at;

  /** What was changed here, with every value read; undefined where one is not right yet. */
  function changes(): { [name: string]: unknown } | undefined {
    const wrong: { [name: string]: string } = {};
    const changed: { [name: string]: unknown } = {};
    for (const { name, typed, before } of rows) {
      if (before && before.text === typed.text && before.file === typed.file && before.isUtc === typed.isUtc)
        continue;
      const read = parse(typed, language);
      if ("problem" in read) wrong[name] = read.problem;
      else changed[name] = read.value;
    }
    setProblems(wrong);
    return Object.keys(wrong).length === 0 ? changed : undefined;
  }

  async function save(event: FormEvent | undefined, isOver = false) {
    event?.preventDefault();
    const changed = changes();
    if (!changed) return;
    const isAccessChanged = JSON.stringify(grants) !== JSON.stringify(base.grants);
    setIsSaving(true);
    setError(undefined);
    try {
      if (record && !isOver) {
        const now = await new Moralis.Query(className).get(record.id ?? "");
        if (now.updatedAt?.getTime() !== base.at) return setTheirs(now);
      }
      const saved = record ?? new Record(className);
      if (!record || isAccessChanged) saved.setACL(aclOf(grants ?? []));
      await saved.save(changed).catch((problem: unknown) => {
        saved.revert();
        throw problem;
      });
      toast(record ? t("Saved") : t("Record made"));
      onSaved(saved);
      onClose();
    } catch (problem) {
      setError(problem);
    } finally {
      setIsSaving(false);
    }
  }

  /** Goes on with what the other has saved; what was changed here and not by them stays typed. */
  function takeTheirs(now: ParseObject) {
    setRows(
      rows.map((row) => {
        const value: unknown = now.get(row.name);
        if (isSame(value, base.values[row.name])) return row;
        const typed = typedOf(value, row.typed.type, language);
        return { ...row, typed, before: typed };
      }),
    );
    setGrants(grantsOf(now.getACL()));
    setBase({ at: now.updatedAt?.getTime(), values: valuesOf(now, fields), grants: grantsOf(now.getACL()) });
    setTheirs(undefined);
  }

  const shown = theirs ?? (hasMoved && !isSaving ? record : undefined);
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={record ? t("{class} record", { class: className }) : t("New {class}", { class: className })}
      about={
        record && (
          <>
            <code>{record.id}</code> · {t("changed")} <Moment at={record.updatedAt ?? 0} />
          </>
        )
      }
      actions={
        isMine && (
          <>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button type="submit" form={formId} look="primary" busy={isSaving} disabled={shown !== undefined}>
              {record ? t("Save") : t("Create")}
            </Button>
          </>
        )
      }
    >
      {shown && (
        <Conflict
          theirs={shown}
          rows={rows.map(({ name, typed }) => ({ name, mine: typed, before: base.values[name] }))}
          onTheirs={() => takeTheirs(shown)}
          onMine={() => void save(undefined, true)}
        />
      )}
      {isMine ? (
        <form id={formId} className="stack" onSubmit={(event) => void save(event)} noValidate>
          {rows.map((row) => (
            <div key={row.name} className="value-row">
              <ValueEditor
                label={row.name}
                typed={row.typed}
                problem={problems[row.name]}
                onChange={(typed) =>
                  setRows(rows.map((each) => (each.name === row.name ? { ...each, typed } : each)))
                }
              />
              {!row.before && !fields.some(({ name }) => name === row.name) && (
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t("Leave {field} away", { field: row.name })}
                  onClick={() => setRows(rows.filter((each) => each !== row))}
                >
                  <X size={16} aria-hidden="true" />
                </button>
              )}
            </div>
          ))}
          {addsFields && (
            <NewField
              taken={rows.map(({ name }) => name)}
              onAdd={(name, type) =>
                setRows([...rows, { name, typed: typedOf(undefined, type, language), before: undefined }])
              }
            />
          )}
          <AccessEditor grants={grants} onChange={setGrants} />
          {error !== undefined && <ErrorState error={error} />}
        </form>
      ) : (
        <dl className="facts">
          {Object.entries(begun.values).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi className="words">{summary(value, language)}</bdi>
              </dd>
            </div>
          ))}
          <div>
            <dt>{t("Who may read and write")}</dt>
            <dd>{accessInWords(grants, user?.id, texts)}</dd>
          </div>
        </dl>
      )}
    </Dialog>
  );
}

/** What editing begins with: a row for each field that can be edited. */
function beginOf(record: ParseObject | undefined, fields: readonly FieldOf[], locale: string) {
  const values = record ? valuesOf(record, fields) : {};
  const rows = fields.flatMap(({ name, type, targetClass }): Row[] => {
    const value = values[name];
    const own = value === undefined || value === null ? type : typeOf(value);
    if (!own) return [];
    const typed = typedOf(value, own, locale);
    if (typed.text === "" && own === "pointer" && targetClass) typed.text = `${targetClass}:`;
    // A field that a record has not is left away unless somebody writes into it.
    return [{ name, typed, before: typed }];
  });
  return { values, rows };
}

function valuesOf(record: ParseObject, fields: readonly FieldOf[]): { [name: string]: unknown } {
  return Object.fromEntries(fields.map(({ name }) => [name, record.get(name)]));
}

function startGrants(userId: string | undefined): Grant[] {
  return [
    { who: "*", read: true, write: false },
    ...(userId === undefined ? [] : [{ who: userId, read: true, write: true }]),
  ];
}
