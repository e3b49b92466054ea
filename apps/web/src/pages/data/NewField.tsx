import { type DataField, Field, IconButton, newName, Select, useForm, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import * as z from "zod/mini";
import { isFieldName } from "./classes.ts";

/** The types of new fields. */
const TYPES = [
  "String",
  "Number",
  "Boolean",
  "Date",
  "GeoPoint",
  "Pointer",
  "File",
  "Array",
  "Object",
] as const;

export interface NewFieldProps {
  existingNames: readonly string[];
  onAdd: (field: DataField) => void;
}

/** Adds a field by its name and type. */
export function NewField({ existingNames, onAdd }: NewFieldProps) {
  const { t } = useTranslation();
  const form = useForm(
    z.object({
      name: newName(
        isFieldName,
        "Names start with a letter and contain only letters, digits and underscores.",
        existingNames,
        "This field already exists.",
      ),
      type: z.enum(TYPES),
    }),
    { name: "", type: "String" },
  );
  const add = form.submit((field) => {
    onAdd(field);
    form.reset();
  });
  return (
    <Field
      label={t("Field name")}
      {...form.input("name")}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        add();
      }}
      placeholder={t("name")}
      autoCapitalize="none"
      spellCheck={false}
      after={
        <>
          <Select
            label={t("Type of the new field")}
            hideLabel
            {...form.choice("type")}
            options={TYPES.map((key) => ({ key, label: key }))}
          />
          <IconButton icon={Plus} label={t("Add field")} size={18} onClick={() => add()} />
        </>
      }
    />
  );
}
