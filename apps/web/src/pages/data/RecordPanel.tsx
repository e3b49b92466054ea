import { type ParseObject, ParseObject as Record } from "@purse/client";
import { ownValue } from "@purse/protocol";
import { useMoralis } from "@purse/react";
import {
  type AccessGrant,
  Button,
  type DataField,
  Detail,
  DetailList,
  Dialog,
  ErrorState,
  RelativeTime,
  Unsaved,
  useToast,
  useTranslation,
} from "@purse/ui";
import { type FormEvent, useEffect, useId, useState } from "react";
import { AccessEditor } from "./AccessEditor.tsx";
import { Conflict } from "./Conflict.tsx";
import { FieldInputList } from "./FieldInputList.tsx";
import { aclOf, canWrite, describeAccess, grantsOf } from "./recordAccess.ts";
import { formatValue, toJson, toValues } from "./recordValues.ts";
import { useFieldInputs } from "./useFieldInputs.ts";

export interface RecordPanelProps {
  className: string;
  /** Undefined creates a new record. */
  record: ParseObject | undefined;
  fields: readonly DataField[];
  /** Whether new fields can be added to the class. */
  canAddFields: boolean;
  onClose: () => void;
  onSaved: (record: ParseObject) => void;
}

/** Views, edits or creates a record. Changes by others are shown as conflicts, never overwritten. */
export function RecordPanel({ className, record, fields, canAddFields, onClose, onSaved }: RecordPanelProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { user, Moralis } = useMoralis();
  const formId = useId();
  const toast = useToast();
  const inputs = useFieldInputs(fields, record ? toJson(record) : {});
  const [grants, setGrants] = useState<readonly AccessGrant[] | undefined>(() =>
    record ? grantsOf(record.getACL()) : defaultGrants(user?.id),
  );
  // The record is updated live; this is the version that editing started from.
  const [base, setBase] = useState({ at: record?.updatedAt?.getTime(), grants });
  const [theirs, setTheirs] = useState<ParseObject>();
  const [error, setError] = useState<unknown>();
  const [isSaving, setIsSaving] = useState(false);
  const isEditable = record === undefined ? user !== null : canWrite(grantsOf(record.getACL()), user?.id);
  const hasChanged = record !== undefined && record.updatedAt?.getTime() !== base.at;

  async function save(event: FormEvent | undefined, isOverwrite = false) {
    event?.preventDefault();
    const changes = inputs.parse();
    if (!changes) return;
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
      for (const name of Object.keys(changes)) if (changes[name] === null) saved.unset(name);
      await saved.save(toValues(className, changes)).catch((problem: unknown) => {
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
    inputs.rebase(toJson(now));
    setGrants(grantsOf(now.getACL()));
    setBase({ at: now.updatedAt?.getTime(), grants: grantsOf(now.getACL()) });
    setTheirs(undefined);
  }

  // Nothing was edited: there is nothing to lose.
  const isUntouched = !inputs.isEdited && JSON.stringify(grants) === JSON.stringify(base.grants);
  useEffect(() => {
    if (record && hasChanged && isUntouched && !isSaving && !theirs) keepTheirs(record);
  });

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
      <Unsaved when={isEditable && !isUntouched} />
      {shown && (
        <Conflict
          theirs={toJson(shown)}
          theirsAt={shown.updatedAt}
          inputs={inputs}
          onTheirs={() => keepTheirs(shown)}
          onMine={() => void save(undefined, true)}
        />
      )}
      {isEditable ? (
        <form id={formId} className="stack" onSubmit={(event) => void save(event)} noValidate>
          <FieldInputList inputs={inputs} canAddFields={canAddFields} canRemoveFields />
          <AccessEditor grants={grants} onChange={setGrants} />
          {error !== undefined && <ErrorState error={error} />}
        </form>
      ) : (
        <DetailList>
          {fields.map(({ name }) => (
            <Detail key={name} label={name}>
              <bdi className="words">{formatValue(ownValue(inputs.base, name), language)}</bdi>
            </Detail>
          ))}
          <Detail label={t("Permissions")}>{describeAccess(grants, user?.id, texts)}</Detail>
        </DetailList>
      )}
    </Dialog>
  );
}

function defaultGrants(userId: string | undefined): AccessGrant[] {
  return [
    { who: "*", read: true, write: false },
    ...(userId === undefined ? [] : [{ who: userId, read: true, write: true }]),
  ];
}
