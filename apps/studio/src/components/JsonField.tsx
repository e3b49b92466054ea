import { TextArea, useTranslation } from "@purse/ui";
import { parseJsonObject } from "./fields.ts";

export interface JsonFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  hint?: string;
  rows?: number;
}

/** Its braces are no arguments. */
const NOT_AN_OBJECT: string = 'Enter a JSON object, for example {"name": "value"}.';

/** A text area for a JSON object that shows parse errors. */
export function JsonField({ label, value, onChange, hint, rows = 5 }: JsonFieldProps) {
  const { t } = useTranslation();
  const { problem } = parseJsonObject(value);
  return (
    <div className="mono-field">
      <TextArea
        label={label}
        value={value}
        onText={onChange}
        hint={hint}
        problem={
          problem === undefined
            ? undefined
            : problem === null
              ? t(NOT_AN_OBJECT)
              : t("Invalid JSON at line {line, number}, column {column, number}.", { ...problem })
        }
        rows={rows}
        isCode
      />
    </div>
  );
}
