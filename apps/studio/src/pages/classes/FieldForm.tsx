import { FIELD_TYPES, type FieldType, type FieldTypeName, isFieldName } from "@purse/protocol";
import { Checkbox, ConfirmDialog, Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { type ConfigType, parseAs, toEditable } from "../config/value.ts";

/** Types that can be selected; ACL is a system field. */
const FIELD_TYPE_OPTIONS = FIELD_TYPES.filter((type) => type !== "ACL");

export interface FieldFormProps {
  /** Undefined to create one. */
  known: { name: string; field: FieldType } | undefined;
  /** Only new fields can change their type. */
  canChangeType: boolean;
  existingNames: readonly string[];
  classes: readonly string[];
  onClose: () => void;
  onSave: (name: string, field: FieldType) => void;
}

/** Edits a field: type, required flag and default value. */
export function FieldForm({ known, canChangeType, existingNames, classes, onClose, onSave }: FieldFormProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(known?.name ?? "");
  const [type, setType] = useState<FieldTypeName>(known?.field.type ?? "String");
  const [targetClass, setTargetClass] = useState(known?.field.targetClass ?? "_User");
  const [isRequired, setRequired] = useState(known?.field.required ?? false);
  const [text, setText] = useState(
    known?.field.defaultValue === undefined ? "" : toEditable(known.field.defaultValue).text,
  );
  const isReference = type === "Pointer" || type === "Relation";
  const parsed = text === "" || type === "Relation" ? undefined : parseAs(editableType(type), text);
  const nameProblem =
    known || name === ""
      ? undefined
      : !isFieldName(name)
        ? t("Use letters, digits and _, starting with a letter.")
        : existingNames.includes(name)
          ? t("A field with this name already exists.")
          : undefined;
  function save() {
    const field: FieldType = { type };
    if (isReference) field.targetClass = targetClass;
    if (isRequired && type !== "Relation") field.required = true;
    if (parsed?.problem === undefined && parsed !== undefined) field.defaultValue = parsed.value;
    onSave(name, field);
    onClose();
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={known ? t("Edit {name}", { name: known.name }) : t("Add field")}
      description={t("You will review all changes before they are applied.")}
      confirmLabel={known ? t("Save") : t("Add")}
      disabled={name === "" || nameProblem !== undefined || parsed?.problem !== undefined}
      onConfirm={save}
    >
      {!known && (
        <Field
          label={t("Name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={nameProblem}
          maxLength={128}
          isCode
        />
      )}
      <Select
        label={t("Type")}
        value={type}
        onChange={(to) => {
          setType(to);
          setText("");
        }}
        options={FIELD_TYPE_OPTIONS.map((key) => ({ key, label: key }))}
        disabled={!canChangeType}
      />
      {isReference && (
        <Select
          label={t("Target class")}
          value={targetClass}
          onChange={setTargetClass}
          options={[...new Set([...classes, targetClass])].map((key) => ({ key, label: key }))}
          disabled={!canChangeType}
        />
      )}
      {type !== "Relation" && (
        <>
          <Checkbox label={t("Required")} checked={isRequired} onChange={setRequired} />
          {type === "Boolean" ? (
            <Select
              label={t("Default value")}
              value={text}
              onChange={setText}
              options={[
                { key: "", label: t("none") },
                { key: "true", label: t("true") },
                { key: "false", label: t("false") },
              ]}
            />
          ) : (
            <Field
              label={t("Default value")}
              hint={t("Used when a new object has no value. Optional.")}
              value={text}
              onChange={(event) => setText(event.target.value)}
              problem={parsed?.problem && t(parsed.problem)}
              isCode
            />
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

/** Types without their own input are edited as JSON. */
function editableType(type: FieldTypeName): ConfigType {
  if (type === "String" || type === "Number" || type === "Boolean" || type === "Date") return type;
  return type === "Array" ? "Array" : "Object";
}
