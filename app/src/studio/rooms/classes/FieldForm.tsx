import { FIELD_TYPES, type FieldType, type FieldTypeName, isFieldName } from "@purse/protocol";
import { useState } from "react";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { type ConfigType, readAs, writtenAs } from "../config/value.ts";
import { Ask } from "../parts/Ask.tsx";

/** Types of new fields: the ACL is every object's own. */
const TYPES = FIELD_TYPES.filter((type) => type !== "ACL");

export interface FieldFormProps {
  /** Undefined for a new one. */
  known: { name: string; field: FieldType } | undefined;
  /** Whether the type may be chosen still: that of a field with values stays. */
  isTypeFree: boolean;
  taken: readonly string[];
  classes: readonly string[];
  onClose: () => void;
  onSave: (name: string, field: FieldType) => void;
}

/** One field: what it holds, whether it must be there, what stands in it otherwise. */
export function FieldForm({ known, isTypeFree, taken, classes, onClose, onSave }: FieldFormProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(known?.name ?? "");
  const [type, setType] = useState<FieldTypeName>(known?.field.type ?? "String");
  const [targetClass, setTargetClass] = useState(known?.field.targetClass ?? "_User");
  const [isRequired, setRequired] = useState(known?.field.required ?? false);
  const [text, setText] = useState(
    known?.field.defaultValue === undefined ? "" : writtenAs(known.field.defaultValue).text,
  );
  const isReference = type === "Pointer" || type === "Relation";
  const read = text === "" || type === "Relation" ? undefined : readAs(writtenType(type), text);
  const nameProblem =
    known || name === ""
      ? undefined
      : !isFieldName(name)
        ? t("Letters, digits and _; the first is a letter.")
        : taken.includes(name)
          ? t("The class has a field of this name already.")
          : undefined;
  function save() {
    const field: FieldType = { type };
    if (isReference) field.targetClass = targetClass;
    if (isRequired && type !== "Relation") field.required = true;
    if (read?.problem === undefined && read !== undefined) field.defaultValue = read.value;
    onSave(name, field);
    onClose();
  }
  return (
    <Ask
      open
      onClose={onClose}
      title={known ? t("Change {name}", { name: known.name }) : t("Add a field")}
      about={t("Nothing is changed before you have seen all of it.")}
      verb={known ? t("Keep") : t("Add")}
      busy={false}
      disabled={name === "" || nameProblem !== undefined || read?.problem !== undefined}
      onDo={save}
    >
      {!known && (
        <Field
          label={t("Name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={nameProblem}
          maxLength={128}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <Select
        label={t("Type")}
        value={type}
        onChange={(to) => {
          setType(to);
          setText("");
        }}
        options={TYPES.map((key) => ({ key, label: key }))}
        disabled={!isTypeFree}
      />
      {isReference && (
        <Select
          label={t("Target class")}
          value={targetClass}
          onChange={setTargetClass}
          options={[...new Set([...classes, targetClass])].map((key) => ({ key, label: key }))}
          disabled={!isTypeFree}
        />
      )}
      {type !== "Relation" && (
        <>
          <Checkbox
            label={t("Required: nothing is saved without it")}
            checked={isRequired}
            onChange={setRequired}
          />
          {type === "Boolean" ? (
            <Select
              label={t("Default")}
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
              label={t("Default")}
              hint={t("What new objects get that bring no value. Empty: none.")}
              value={text}
              onChange={(event) => setText(event.target.value)}
              problem={read?.problem && t(read.problem)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </>
      )}
    </Ask>
  );
}

/** Values without a form of their own are written as the object that they travel as. */
function writtenType(type: FieldTypeName): ConfigType {
  if (type === "String" || type === "Number" || type === "Boolean" || type === "Date") return type;
  return type === "Array" ? "Array" : "Object";
}
