import { ownValue } from "@purse/protocol";
import { IconButton, useTranslation } from "@purse/ui";
import { X } from "lucide-react";
import { NewField } from "./NewField.tsx";
import type { FieldInputs } from "./useFieldInputs.ts";
import { ValueInput } from "./ValueInput.tsx";

/** The inputs for the fields of a record, and one for the name of a new field. */
export function FieldInputList({
  inputs,
  canAddFields,
  canRemoveFields = false,
  reservedNames = [],
}: {
  inputs: FieldInputs;
  canAddFields: boolean;
  /** Whether fields that were just added can be removed again. */
  canRemoveFields?: boolean;
  /** Names of fields that are edited elsewhere. */
  reservedNames?: readonly string[];
}) {
  const { t } = useTranslation();
  const { fields } = inputs;
  return (
    <>
      {fields.map((field) => (
        <div key={field.name} className="value-row">
          <ValueInput
            field={field}
            text={inputs.textOf(field)}
            problem={ownValue(inputs.problems, field.name)}
            onText={(text) => inputs.set(field, text)}
          />
          {canRemoveFields && inputs.isNew(field) && (
            <IconButton
              icon={X}
              label={t("Remove {field}", { field: field.name })}
              onClick={() => inputs.remove(field)}
            />
          )}
        </div>
      ))}
      {canAddFields && (
        <NewField existingNames={[...reservedNames, ...fields.map(({ name }) => name)]} onAdd={inputs.add} />
      )}
    </>
  );
}
