import {
  type DataField,
  DateInput,
  displayText,
  Field,
  Switch,
  TextArea,
  useTranslation,
  ValueField,
} from "@purse/ui";
import type { ChangeEvent } from "react";
import { parseText } from "./recordValues.ts";

export interface ValueInputProps {
  field: DataField;
  text: string;
  problem: string | undefined;
  onText: (text: string) => void;
}

/** The input for a value of the type of its field. It keeps invalid input. */
export function ValueInput({ field, text, problem: message, onText }: ValueInputProps) {
  const { t, language } = useTranslation();
  const { name: label, type } = field;
  const problem = message && t(message);
  const parsed = parseText(text, field, language);
  const input = {
    ...{ label, problem, value: text },
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onText(target.value),
  };
  switch (type) {
    case "Boolean":
      return <Switch label={label} checked={text === "true"} onChange={(isOn) => onText(String(isOn))} />;
    case "Number":
      return <Field {...input} inputMode="decimal" />;
    case "String":
      return text.includes("\n") || text.length > 80 ? <TextArea {...input} /> : <Field {...input} />;
    case "Date":
      return <DateInput {...{ label, parsed, problem, onText }} step={1} />;
    case "Array":
    case "Object":
      return (
        <div className="mono-field">
          <TextArea {...input} rows={5} spellCheck={false} hint={t("JSON")} />
        </div>
      );
    default: {
      const isFile = type === "File" && parsed.problem === undefined;
      return (
        <ValueField
          {...{ field, text, problem, onText }}
          {...(isFile && { shownText: displayText(parsed.value) })}
        />
      );
    }
  }
}
