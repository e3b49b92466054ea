import { Field } from "../../components/Field.tsx";
import { Select } from "../../components/Select.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editorProps.ts";

/** Edits a Number or Boolean. */
export function ShortEditor({ field, text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  if (field.type === "Boolean")
    return (
      <Select
        label={t("Value")}
        value={text === "true" || text === "false" ? text : "none"}
        onChange={(to) => onText(to === "none" ? "" : to)}
        options={[
          { key: "true", label: "true" },
          { key: "false", label: "false" },
          { key: "none", label: t("no value") },
        ]}
      />
    );
  return (
    <Field
      label={t("Number")}
      inputMode="decimal"
      value={text}
      problem={parsed.problem}
      hint={t("Leave empty to remove the value.")}
      autoComplete="off"
      onText={onText}
    />
  );
}
