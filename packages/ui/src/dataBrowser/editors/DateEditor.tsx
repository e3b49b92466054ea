import { isJsonObject } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { DateField } from "../../components/DateField.tsx";
import { Select } from "../../components/Select.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { localTime, type ParsedValue } from "../parseValue.ts";
import type { EditorProps } from "./editorProps.ts";

type Zone = "here" | "utc";

/** Edits a date, with the time in UTC beside it. */
export function DateEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const iso = isoOf(parsed);
  return (
    <>
      <DateInput label={t("Time")} problem={parsed.problem} {...{ onText, parsed }} />
      <p className="soft small" role="status">
        {iso === undefined ? t("No date") : `${iso} · ${new Date(iso).toString()}`}
      </p>
      <div className="row">
        <Button small onClick={() => onText(new Date().toISOString())}>
          {t("Now")}
        </Button>
        {text !== "" && (
          <Button small onClick={() => onText("")}>
            {t("No date")}
          </Button>
        )}
      </div>
    </>
  );
}

export interface DateInputProps extends Pick<EditorProps, "parsed" | "onText"> {
  label: string;
  problem: string | undefined;
  /** In seconds. */
  step?: number;
}

/** An input for a date in the local time zone or in UTC. */
export function DateInput({ label, parsed, problem, step = 0.001, onText }: DateInputProps) {
  const { t } = useTranslation();
  const [zone, setZone] = useState<Zone>("here");
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const iso = isoOf(parsed);
  return (
    <DateField
      label={label}
      step={step}
      value={iso === undefined ? "" : zone === "utc" ? iso.slice(0, -1) : localTime(iso)}
      problem={problem}
      onChange={({ target: { value } }) => onText(zone === "utc" && value !== "" ? `${value}Z` : value)}
      after={
        <Select
          label={t("Zone")}
          hideLabel
          value={zone}
          onChange={setZone}
          options={[
            { key: "here", label: t("Local: {zone}", { zone: localZone }) },
            { key: "utc", label: "UTC" },
          ]}
        />
      }
    />
  );
}

function isoOf(parsed: ParsedValue): string | undefined {
  return parsed.problem === undefined && isJsonObject(parsed.value) ? String(parsed.value.iso) : undefined;
}
