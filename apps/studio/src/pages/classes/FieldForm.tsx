import { FIELD_TYPES, type FieldType, type FieldTypeName, isFieldName } from "@purse/protocol";
import { Checkbox, ConfirmDialog, Field, newName, Select, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { type ConfigType, parseAs, toEditable } from "../config/parameterValue.ts";

/** Types that can be selected; ACL is a system field. */
const FIELD_TYPE_OPTIONS = FIELD_TYPES.filter((type) => type !== "ACL");

const fieldSchema = (existingNames: readonly string[]) =>
  z
    .object({
      name: newName(
        isFieldName,
        "Use letters, digits and _, starting with a letter.",
        existingNames,
        "A field with this name already exists.",
      ),
      type: z.enum(FIELD_TYPES),
      targetClass: z.string(),
      isRequired: z.boolean(),
      text: z.string(),
    })
    .check(({ value, issues }) => {
      const { problem } = { problem: undefined, ...parseDefault(value) };
      if (problem !== undefined)
        issues.push({ code: "custom", path: ["text"], message: problem, input: value.text });
    });

/** Parses the default value; undefined if there is none. */
function parseDefault({ type, text }: { type: FieldTypeName; text: string }) {
  return text === "" || type === "Relation" ? undefined : parseAs(editableType(type), text);
}

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
  const taken = known ? [] : existingNames;
  const form = useForm(fieldSchema(taken), {
    name: known?.name ?? "",
    type: known?.field.type ?? "String",
    targetClass: known?.field.targetClass ?? "_User",
    isRequired: known?.field.required ?? false,
    text: known?.field.defaultValue === undefined ? "" : toEditable(known.field.defaultValue).text,
  });
  const { type, targetClass } = form.values;
  const isReference = type === "Pointer" || type === "Relation";
  function save({ name, isRequired, ...values }: z.infer<ReturnType<typeof fieldSchema>>) {
    const field: FieldType = { type };
    const defaultValue = parseDefault(values);
    if (isReference) field.targetClass = targetClass;
    if (isRequired && type !== "Relation") field.required = true;
    if (defaultValue && defaultValue.problem === undefined) field.defaultValue = defaultValue.value;
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
      disabled={!form.isValid}
      onConfirm={form.submit(save)}
    >
      {!known && <Field label={t("Name")} {...form.input("name")} maxLength={128} isCode />}
      <Select
        label={t("Type")}
        value={type}
        onChange={(to) => {
          form.set("type", to);
          form.set("text", "");
        }}
        options={FIELD_TYPE_OPTIONS.map((key) => ({ key, label: key }))}
        disabled={!canChangeType}
      />
      {isReference && (
        <Select
          label={t("Target class")}
          {...form.choice("targetClass")}
          options={[...new Set([...classes, targetClass])].map((key) => ({ key, label: key }))}
          disabled={!canChangeType}
        />
      )}
      {type !== "Relation" && (
        <>
          <Checkbox label={t("Required")} {...form.toggle("isRequired")} />
          {type === "Boolean" ? (
            <Select
              label={t("Default value")}
              {...form.choice("text")}
              options={{ "": t("none"), true: t("true"), false: t("false") }}
            />
          ) : (
            <Field
              label={t("Default value")}
              hint={t("Used when a new object has no value. Optional.")}
              {...form.input("text")}
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
