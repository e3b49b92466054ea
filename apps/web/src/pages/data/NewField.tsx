import { Field, IconButton, Select, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { isFieldName } from "./filter.ts";
import { TYPES, type ValueType } from "./values.ts";

/** Adds a field by its name and type. */
export function NewField({
  existingNames,
  onAdd,
}: {
  existingNames: readonly string[];
  onAdd: (name: string, type: ValueType) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [type, setType] = useState<ValueType>("string");
  const [problem, setProblem] = useState<string>();
  function add() {
    if (!isFieldName(name))
      return setProblem(t("Names start with a letter and contain only letters, digits and underscores."));
    if (existingNames.includes(name)) return setProblem(t("This field already exists."));
    setProblem(undefined);
    onAdd(name, type);
    setName("");
  }
  return (
    <Field
      label={t("Field name")}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        add();
      }}
      placeholder={t("name")}
      problem={problem}
      autoCapitalize="none"
      spellCheck={false}
      after={
        <>
          <Select
            label={t("Type of the new field")}
            hideLabel
            value={type}
            onChange={setType}
            options={TYPES.map((key) => ({ key, label: key }))}
          />
          <IconButton icon={Plus} label={t("Add field")} size={18} onClick={add} />
        </>
      }
    />
  );
}
