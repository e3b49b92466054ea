import type { StudioConfigParameter } from "@purse/server/studio-api";
import {
  Checkbox,
  Field,
  FormDialog,
  NO_MESSAGE,
  Select,
  TextArea,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { CONFIG_TYPES, type ConfigType, parseAs, toEditable } from "./parameterValue.ts";

const PARAMETER = z
  .object({
    name: z
      .string()
      .check(
        z.minLength(1, NO_MESSAGE),
        z.regex(/^([A-Za-z]\w*)?$/, "Use letters, digits and _, starting with a letter."),
      ),
    type: z.enum(CONFIG_TYPES),
    text: z.string(),
    isHidden: z.boolean(),
  })
  .check(({ value: { type, text }, issues }) => {
    const { problem } = parseAs(type, text);
    if (problem !== undefined)
      issues.push({
        code: "custom",
        path: ["text"],
        message: text === "" ? NO_MESSAGE : problem,
        input: text,
      });
  });

export interface ConfigFormProps {
  /** Undefined to create one. */
  parameter: StudioConfigParameter | undefined;
  existingNames: readonly string[];
  onClose: () => void;
}

export function ConfigForm({ parameter, existingNames, onClose }: ConfigFormProps) {
  const { t } = useTranslation();
  const initial = toEditable(parameter?.value ?? "");
  const form = useForm(
    parameter
      ? PARAMETER
      : PARAMETER.check(
          z.refine(({ name }) => !existingNames.includes(name), {
            path: ["name"],
            error: "A parameter with this name already exists.",
          }),
        ),
    { name: parameter?.name ?? "", ...initial, isHidden: parameter?.isMasterKeyOnly ?? false },
  );
  const { name, type, text } = form.values;
  const save = useStudioMutation(
    (studio, { name, type, text, isHidden }: z.infer<typeof PARAMETER>) =>
      studio.put("/config", {
        params: { [name]: { value: null, ...parseAs(type, text) }.value },
        // Without masterKeyOnly the parameter would become public.
        masterKeyOnly: { [name]: isHidden },
      }),
    t("{name} saved", { name }),
  );
  function handleTypeChange(to: ConfigType): void {
    form.set("type", to);
    if (to === "Boolean" && text !== "true") form.set("text", "false");
    if (to === "Array" && parseAs(to, text).problem !== undefined) form.set("text", "[]");
    if (to === "Object" && parseAs(to, text).problem !== undefined) form.set("text", "{}");
  }
  const fieldProps = { label: t("Value"), ...form.input("text") };
  return (
    <FormDialog
      onClose={onClose}
      title={parameter ? t("Edit {name}", { name: parameter.name }) : t("Add parameter")}
      confirmLabel={parameter ? t("Save") : t("Add")}
      form={form}
      mutation={save}
    >
      {!parameter && <Field label={t("Name")} {...form.input("name")} maxLength={128} isCode />}
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
          onChange={(to) => form.set("text", to)}
          options={{ true: t("true"), false: t("false") }}
        />
      ) : type === "Number" || type === "Date" ? (
        <Field {...fieldProps} autoComplete="off" />
      ) : (
        <div className={type === "String" ? undefined : "mono-field"}>
          <TextArea {...fieldProps} rows={type === "String" ? 3 : 8} spellCheck={type === "String"} />
        </div>
      )}
      <Checkbox label={t("Master key only (hidden from apps)")} {...form.toggle("isHidden")} />
    </FormDialog>
  );
}
