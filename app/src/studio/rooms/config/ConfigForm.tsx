import { useState } from "react";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Field, TextArea } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { CONFIG_TYPES, type ConfigType, type Parameter, readAs, writtenAs } from "./value.ts";

const NAME = /^[A-Za-z][\w]*$/;

export interface ConfigFormProps {
  /** Undefined for a new one. */
  parameter: Parameter | undefined;
  taken: readonly string[];
  onClose: () => void;
}

export function ConfigForm({ parameter, taken, onClose }: ConfigFormProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const written = writtenAs(parameter?.value ?? "");
  const [name, setName] = useState(parameter?.name ?? "");
  const [type, setType] = useState<ConfigType>(written.type);
  const [text, setText] = useState(written.text);
  const [isHidden, setHidden] = useState(parameter?.isMasterKeyOnly ?? false);
  const read = readAs(type, text);
  const nameProblem =
    name === ""
      ? undefined
      : !NAME.test(name)
        ? t("Letters, digits and _; the first is a letter.")
        : !parameter && taken.includes(name)
          ? t("There is a value of this name already.")
          : undefined;
  const save = useChange(
    () =>
      studio.put("/config", {
        params: { [name]: "value" in read ? read.value : null },
        // Without it the value would be everybody's from now on.
        masterKeyOnly: { [name]: isHidden },
      }),
    t("{name} is saved.", { name }),
  );
  function choose(to: ConfigType): void {
    setType(to);
    if (to === "Boolean" && text !== "true") setText("false");
    if (to === "Array" && readAs(to, text).problem !== undefined) setText("[]");
    if (to === "Object" && readAs(to, text).problem !== undefined) setText("{}");
  }
  const problem = text === "" ? undefined : read.problem && t(read.problem);
  const bound = { label: t("Value"), value: text, problem };
  return (
    <Ask
      open
      onClose={onClose}
      title={parameter ? t("Change {name}", { name: parameter.name }) : t("Add a value")}
      verb={parameter ? t("Save") : t("Add")}
      busy={save.isPending}
      error={save.error}
      disabled={name === "" || nameProblem !== undefined || read.problem !== undefined}
      onDo={() => save.mutate(undefined, { onSuccess: onClose })}
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
        onChange={choose}
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
        <Field {...bound} onChange={(event) => setText(event.target.value)} autoComplete="off" />
      ) : (
        <div className={type === "String" ? undefined : "mono-field"}>
          <TextArea
            {...bound}
            onChange={(event) => setText(event.target.value)}
            rows={type === "String" ? 3 : 8}
            spellCheck={type === "String"}
          />
        </div>
      )}
      <Checkbox
        label={t("For the server alone: apps do not get it")}
        checked={isHidden}
        onChange={setHidden}
      />
    </Ask>
  );
}
