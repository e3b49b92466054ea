import { Checkbox, Field, Select, TextArea, useTranslation } from "@purse/ui";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useStudio } from "../../StudioContext.tsx";
import { CONFIG_TYPES, type ConfigType, type Parameter, parseAs, toEditable } from "./value.ts";

const NAME = /^[A-Za-z][\w]*$/;

export interface ConfigFormProps {
  /** Undefined to create one. */
  parameter: Parameter | undefined;
  existingNames: readonly string[];
  onClose: () => void;
}

export function ConfigForm({ parameter, existingNames, onClose }: ConfigFormProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const initial = toEditable(parameter?.value ?? "");
  const [name, setName] = useState(parameter?.name ?? "");
  const [type, setType] = useState<ConfigType>(initial.type);
  const [text, setText] = useState(initial.text);
  const [isHidden, setHidden] = useState(parameter?.isMasterKeyOnly ?? false);
  const parsed = parseAs(type, text);
  const nameProblem =
    name === ""
      ? undefined
      : !NAME.test(name)
        ? t("Use letters, digits and _, starting with a letter.")
        : !parameter && existingNames.includes(name)
          ? t("A parameter with this name already exists.")
          : undefined;
  const save = useStudioMutation(
    () =>
      studio.put("/config", {
        params: { [name]: "value" in parsed ? parsed.value : null },
        // Without masterKeyOnly the parameter would become public.
        masterKeyOnly: { [name]: isHidden },
      }),
    t("{name} saved", { name }),
  );
  function handleTypeChange(to: ConfigType): void {
    setType(to);
    if (to === "Boolean" && text !== "true") setText("false");
    if (to === "Array" && parseAs(to, text).problem !== undefined) setText("[]");
    if (to === "Object" && parseAs(to, text).problem !== undefined) setText("{}");
  }
  const problem = text === "" ? undefined : parsed.problem && t(parsed.problem);
  const fieldProps = { label: t("Value"), value: text, problem };
  return (
    <FormDialog
      onClose={onClose}
      title={parameter ? t("Edit {name}", { name: parameter.name }) : t("Add parameter")}
      confirmLabel={parameter ? t("Save") : t("Add")}
      mutation={save}
      disabled={name === "" || nameProblem !== undefined || parsed.problem !== undefined}
    >
      {!parameter && (
        <Field
          label={t("Name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={nameProblem}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Select
        label={t("Type")}
        value={type}
        onChange={handleTypeChange}
        options={CONFIG_TYPES.map((key) => ({ key, label: key }))}
      />
      {type === "Boolean" ? (
        <Select
          label={t("Value")}
          value={text === "true" ? "true" : "false"}
          onChange={setText}
          options={[
            { key: "true", label: t("true") },
            { key: "false", label: t("false") },
          ]}
        />
      ) : type === "Number" || type === "Date" ? (
        <Field {...fieldProps} onChange={(event) => setText(event.target.value)} autoComplete="off" />
      ) : (
        <div className={type === "String" ? undefined : "mono-field"}>
          <TextArea
            {...fieldProps}
            onChange={(event) => setText(event.target.value)}
            rows={type === "String" ? 3 : 8}
            spellCheck={type === "String"}
          />
        </div>
      )}
      <Checkbox label={t("Master key only (hidden from apps)")} checked={isHidden} onChange={setHidden} />
    </FormDialog>
  );
}
