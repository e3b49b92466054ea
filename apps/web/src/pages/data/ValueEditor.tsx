import { ParseFile } from "@purse/client";
import { explain, Field, Select, Switch, TextArea, useTranslation } from "@purse/ui";
import { type ChangeEvent, useState } from "react";
import { PointerPicker } from "./PointerPicker.tsx";
import type { ValueEditorProps } from "./valueEditorProps.ts";
import type { ValueDraft } from "./values.ts";

/** The editor for the type of a value. It keeps invalid input. */
export function ValueEditor({ label, draft, onChange, problem }: ValueEditorProps) {
  const { t } = useTranslation();
  const { type, text } = draft;
  const message = problem === undefined ? undefined : t(problem);
  const write = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onChange({ ...draft, text: event.target.value });
  switch (type) {
    case "boolean":
      return (
        <Switch
          label={label}
          checked={text === "true"}
          onChange={(isOn) => onChange({ ...draft, text: String(isOn) })}
        />
      );
    case "number":
      return <Field label={label} inputMode="decimal" value={text} onChange={write} problem={message} />;
    case "date":
      return (
        <Field
          label={label}
          type="datetime-local"
          step="1"
          value={text}
          onChange={write}
          problem={message}
          after={<Zone draft={draft} onChange={onChange} />}
        />
      );
    case "geo":
      return (
        <Field
          label={label}
          value={text}
          onChange={write}
          placeholder="47.3769, 8.5417"
          hint={t("Latitude, then longitude, in degrees.")}
          problem={message}
        />
      );
    case "pointer":
      return <PointerPicker label={label} draft={draft} onChange={onChange} problem={message} />;
    case "file":
      return <FileInput label={label} draft={draft} onChange={onChange} problem={message} />;
    case "array":
    case "object":
      return (
        <TextArea
          label={label}
          rows={5}
          value={text}
          onChange={write}
          problem={message}
          spellCheck={false}
          hint={t("JSON")}
          className="mono"
        />
      );
    default:
      return text.includes("\n") || text.length > 80 ? (
        <TextArea label={label} value={text} onChange={write} problem={message} />
      ) : (
        <Field label={label} value={text} onChange={write} problem={message} />
      );
  }
}

function Zone({ draft, onChange }: { draft: ValueDraft; onChange: (draft: ValueDraft) => void }) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("Zone")}
      hideLabel
      value={draft.isUtc ? "utc" : "here"}
      onChange={(zone) => onChange({ ...draft, isUtc: zone === "utc" })}
      options={[
        { key: "here", label: Intl.DateTimeFormat().resolvedOptions().timeZone },
        { key: "utc", label: "UTC (Z)" },
      ]}
    />
  );
}

function FileInput({ label, draft, onChange, problem }: ValueEditorProps) {
  const { t } = useTranslation();
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<string>();
  async function upload(event: ChangeEvent<HTMLInputElement>) {
    const [chosen] = event.target.files ?? [];
    if (!chosen) return;
    setFailure(undefined);
    setProgress(0);
    try {
      const file = new ParseFile(safeName(chosen.name), chosen, chosen.type);
      await file.save({ progress: setProgress });
      onChange({ ...draft, text: file.name(), file });
    } catch (error) {
      const { title, detail } = explain(error, t);
      setFailure(`${title}. ${detail}`);
    } finally {
      setProgress(undefined);
    }
  }
  const done =
    progress === undefined ? undefined : t("{n, number} % uploaded", { n: Math.round(progress * 100) });
  return (
    <Field
      label={label}
      type="file"
      onChange={(event) => void upload(event)}
      hint={done ?? (draft.file ? t("Current: {name}", { name: draft.file.name() }) : undefined)}
      problem={failure ?? problem}
    />
  );
}

/** Converts a file name to one that servers accept: word characters, spaces, dots and dashes. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\w .@-]+/g, "_").replace(/^[^A-Za-z0-9_]+/, "");
  return plain.slice(-100) || "file";
}
