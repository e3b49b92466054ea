import { isJsonObject } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../../design/Button.tsx";
import { Select } from "../../../../design/Choice.tsx";
import { Field } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";

type Zone = "here" | "utc";

/** A time, typed in the zone of the reader or in UTC; the other is said beside it. */
export function DateEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const [zone, setZone] = useState<Zone>("here");
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const iso = read.problem === undefined && isJsonObject(read.value) ? String(read.value.iso) : undefined;
  const typed = iso === undefined ? "" : zone === "utc" ? iso.slice(0, -1) : localOf(iso);
  return (
    <>
      <div className="pair">
        <Field
          label={t("Time")}
          type="datetime-local"
          step={0.001}
          value={typed}
          problem={read.problem}
          onChange={(event) =>
            onText(zone === "utc" && event.target.value ? `${event.target.value}Z` : event.target.value)
          }
        />
        <Select
          label={t("Zone")}
          value={zone}
          onChange={setZone}
          options={[
            { key: "here", label: t("Here: {zone}", { zone: here }) },
            { key: "utc", label: "UTC" },
          ]}
        />
      </div>
      <p className="soft small" role="status">
        {iso === undefined ? t("No time") : `${iso} · ${new Date(iso).toString()}`}
      </p>
      <div className="row">
        <Button small onClick={() => onText(new Date().toISOString())}>
          {t("Now")}
        </Button>
        {text !== "" && (
          <Button small onClick={() => onText("")}>
            {t("No time")}
          </Button>
        )}
      </div>
    </>
  );
}

/** As `<input type="datetime-local">` takes it. */
function localOf(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
