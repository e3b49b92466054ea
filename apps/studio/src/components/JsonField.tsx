import { TextArea } from "@purse/ui";
import { parseJsonObject } from "./fields.ts";

export interface JsonFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  hint?: string;
  rows?: number;
}

/** A text area for a JSON object that shows parse errors. */
export function JsonField({ label, value, onChange, hint, rows = 5 }: JsonFieldProps) {
  const { problem } = parseJsonObject(value);
  return (
    <div className="mono-field">
      <TextArea
        label={label}
        value={value}
        onText={onChange}
        hint={hint}
        problem={problem}
        rows={rows}
        isCode
      />
    </div>
  );
}
