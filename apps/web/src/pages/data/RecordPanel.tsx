import { type ParseObject, ParseObject as Record } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  type AccessGrant,
  Button,
  Dialog,
  ErrorState,
  IconButton,
  RelativeTime,
  useToast,
  useTranslation,
} from "@purse/ui";
import { X } from "lucide-react";
import { type FormEvent, useId, useMemo, useState } from "react";
import { AccessEditor } from "./AccessEditor.tsx";
import { aclOf, canWrite, describeAccess, grantsOf } from "./access.ts";
import { Conflict } from "./Conflict.tsx";
import type { FieldInfo } from "./columns.ts";
import { NewField } from "./NewField.tsx";
import { ValueEditor } from "./ValueEditor.tsx";
import { formatValue, isSame, parseValue, toDraft, typeOf, type ValueDraft } from "./values.ts";

export interface RecordPanelProps {
  className: string;
  /** Undefined creates a new record. */
  record: ParseObject | undefined;
  fields: readonly FieldInfo[];
  /** Whether new fields can be added to the class. */
  canAddFields: boolean;
  onClose: () => void;
  onSaved: (record: ParseObject) => void;
}

interface Row {
  name: string;
  draft: ValueDraft;
  /** The value when editing began. */
  before: ValueDraft | undefined;
}

/** Views, edits or creates a record. Changes by others are shown as conflicts, never overwritten. */
export function RecordPanel({ className, record, fields, canAddFields, onClose, onSaved }: RecordPanelProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { user, Moralis } = useMoralis();
  const formId = useId();
  const toast = useToast();
  const initial = useMemo(() => initialState(record, fields, language), [record, fields, language]);
  const [rows, setRows] = useState<readonly Row[]>(initial.rows);
  const [grants, setGrants] = useState<readonly AccessGrant[] | undefined>(() =>
    record ? grantsOf(record.getACL()) : defaultGrants(user?.id),
  );
  // The record is updated live; this is the version that editing started from.
  const [base, setBase] = useState({ at: record?.updatedAt?.getTime(), values: initial.values, grants });
  const [problems, setProblems] = useState<Readonly<{ [name: string]: string }>>({});
  const [theirs, setTheirs] = useState<ParseObject>();
  const [error, setError] = useState<unknown>();
  const [isSaving, setIsSaving] = useState(false);
  const isEditable = record === undefined ? user !== null : canWrite(grantsOf(record.getACL()), user?.id);
  const hasChanged = record !== undefined && record.updatedAt?.getTime() !== base.at;

  /** Parses the changed fields; undefined if one is invalid. */
  function parseChanges(): { [name: string]: unknown } | undefined {
    const errors: { [name: string]: string } = {};
    const changed: { [name: string]: unknown } = {};
    for (const { name, draft, before } of rows) {
      if (before && before.text === draft.text && before.file === draft.file && before.isUtc === draft.isUtc)
        continue;
      const read = parseValue(draft, language);
      if ("problem" in read) errors[name] = read.problem;
      else changed[name] = read.value;
    }
    setProblems(errors);
    return Object.keys(errors).length === 0 ? changed : undefined;
  }

  async function save(event: FormEvent | undefined, isOverwrite = false) {
    event?.preventDefault();
    const changed = parseChanges();
    if (!changed) return;
    const isAccessChanged = JSON.stringify(grants) !== JSON.stringify(base.grants);
    setIsSaving(true);
    setError(undefined);
    try {
      if (record && !isOverwrite) {
        const now = await new Moralis.Query(className).get(record.id ?? "");
        if (now.updatedAt?.getTime() !== base.at) return setTheirs(now);
      }
      const saved = record ?? new Record(className);
      if (!record || isAccessChanged) saved.setACL(aclOf(grants ?? []));
      await saved.save(changed).catch((problem: unknown) => {
        saved.revert();
        throw problem;
      });
      toast(record ? t("Saved") : t("Record created"));
      onSaved(saved);
      onClose();
    } catch (problem) {
      setError(problem);
    } finally {
      setIsSaving(false);
    }
  }

  /** Adopts their version; local changes to other fields are kept. */
  function keepTheirs(now: ParseObject) {
    setRows(
      rows.map((row) => {
        const value: unknown = now.get(row.name);
        if (isSame(value, base.values[row.name])) return row;
        const draft = toDraft(value, row.draft.type, language);
        return { ...row, draft, before: draft };
      }),
    );
    setGrants(grantsOf(now.getACL()));
    setBase({ at: now.updatedAt?.getTime(), values: valuesOf(now, fields), grants: grantsOf(now.getACL()) });
    setTheirs(undefined);
  }

  const shown = theirs ?? (hasChanged && !isSaving ? record : undefined);
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={record ? t("{class} record", { class: className }) : t("New {class}", { class: className })}
      description={
        record && (
          <>
            <code>{record.id}</code> · {t("modified")} <RelativeTime at={record.updatedAt ?? 0} />
          </>
        )
      }
      actions={
        isEditable && (
          <>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button
              type="submit"
              form={formId}
              variant="primary"
              busy={isSaving}
              disabled={shown !== undefined}
            >
              {record ? t("Save") : t("Create")}
            </Button>
          </>
        )
      }
    >
      {shown && (
        <Conflict
          theirs={shown}
          rows={rows.map(({ name, draft }) => ({ name, mine: draft, before: base.values[name] }))}
          onTheirs={() => keepTheirs(shown)}
          onMine={() => void save(undefined, true)}
        />
      )}
      {isEditable ? (
        <form id={formId} className="stack" onSubmit={(event) => void save(event)} noValidate>
          {rows.map((row) => (
            <div key={row.name} className="value-row">
              <ValueEditor
                label={row.name}
                draft={row.draft}
                problem={problems[row.name]}
                onChange={(draft) =>
                  setRows(rows.map((each) => (each.name === row.name ? { ...each, draft } : each)))
                }
              />
              {!row.before && !fields.some(({ name }) => name === row.name) && (
                <IconButton
                  icon={X}
                  label={t("Remove {field}", { field: row.name })}
                  onClick={() => setRows(rows.filter((each) => each !== row))}
                />
              )}
            </div>
          ))}
          {canAddFields && (
            <NewField
              existingNames={rows.map(({ name }) => name)}
              onAdd={(name, type) =>
                setRows([...rows, { name, draft: toDraft(undefined, type, language), before: undefined }])
              }
            />
          )}
          <AccessEditor grants={grants} onChange={setGrants} />
          {error !== undefined && <ErrorState error={error} />}
        </form>
      ) : (
        <dl className="facts">
          {Object.entries(initial.values).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi className="words">{formatValue(value, language)}</bdi>
              </dd>
            </div>
          ))}
          <div>
            <dt>{t("Permissions")}</dt>
            <dd>{describeAccess(grants, user?.id, texts)}</dd>
          </div>
        </dl>
      )}
    </Dialog>
  );
}

/** The initial rows: one for each editable field. */
function initialState(record: ParseObject | undefined, fields: readonly FieldInfo[], locale: string) {
  const values = record ? valuesOf(record, fields) : {};
  const rows = fields.flatMap(({ name, type, targetClass }): Row[] => {
    const value = values[name];
    const own = value === undefined || value === null ? type : typeOf(value);
    if (!own) return [];
    const draft = toDraft(value, own, locale);
    if (draft.text === "" && own === "pointer" && targetClass) draft.text = `${targetClass}:`;
    // Missing fields are omitted unless they are edited.
    return [{ name, draft, before: draft }];
  });
  return { values, rows };
}

function valuesOf(record: ParseObject, fields: readonly FieldInfo[]): { [name: string]: unknown } {
  return Object.fromEntries(fields.map(({ name }) => [name, record.get(name)]));
}

function defaultGrants(userId: string | undefined): AccessGrant[] {
  return [
    { who: "*", read: true, write: false },
    ...(userId === undefined ? [] : [{ who: userId, read: true, write: true }]),
  ];
}
