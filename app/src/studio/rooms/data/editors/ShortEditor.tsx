import { Select } from "../../../../design/Choice.tsx";
import { Field } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";

/** A number, or yes and no. */
export function ShortEditor({ column, text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  if (column.type === "Boolean")
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
      problem={read.problem}
      hint={t("Empty takes the value away.")}
      autoComplete="off"
      onChange={(event) => onText(event.target.value)}
    />
  );
}
