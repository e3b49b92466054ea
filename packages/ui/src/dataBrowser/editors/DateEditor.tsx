import { isJsonObject } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { Select } from "../../components/Choice.tsx";
import { Field } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import "./editors.css";

type Zone = "here" | "utc";

/** Edits a date in the local time zone or in UTC. */
export function DateEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const [zone, setZone] = useState<Zone>("here");
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const iso =
    parsed.problem === undefined && isJsonObject(parsed.value) ? String(parsed.value.iso) : undefined;
  const inputValue = iso === undefined ? "" : zone === "utc" ? iso.slice(0, -1) : toLocalInput(iso);
  return (
    <>
      <div className="pair">
        <Field
          label={t("Time")}
          type="datetime-local"
          step={0.001}
          value={inputValue}
          problem={parsed.problem}
          onChange={(event) =>
            onText(zone === "utc" && event.target.value ? `${event.target.value}Z` : event.target.value)
          }
        />
        <Select
          label={t("Zone")}
          value={zone}
          onChange={setZone}
          options={[
            { key: "here", label: t("Local: {zone}", { zone: localZone }) },
            { key: "utc", label: "UTC" },
          ]}
        />
      </div>
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

/** Format of `<input type="datetime-local">`. */
function toLocalInput(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
