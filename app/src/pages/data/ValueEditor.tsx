import { ParseFile } from "@purse/client";
import { type ChangeEvent, useState } from "react";
import { Select, Switch } from "../../design/Choice.tsx";
import { Field, TextArea } from "../../design/Field.tsx";
import { explain } from "../../explain.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { PointerPicker } from "./PointerPicker.tsx";
import type { ValueEditorProps } from "./valueEditorProps.ts";
import type { Typed } from "./values.ts";

/** An editor of the kind that a value is of. What is typed stays, right or wrong. */
export function ValueEditor({ label, typed, onChange, problem }: ValueEditorProps) {
  const { t } = useTexts();
  const { type, text } = typed;
  const said = problem === undefined ? undefined : t(problem);
  const write = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    onChange({ ...typed, text: event.target.value });
  switch (type) {
    case "boolean":
      return (
        <Switch
          label={label}
          checked={text === "true"}
          onChange={(isOn) => onChange({ ...typed, text: String(isOn) })}
        />
      );
    case "number":
      return <Field label={label} inputMode="decimal" value={text} onChange={write} problem={said} />;
    case "date":
      return (
        <Field
          label={label}
          type="datetime-local"
          step="1"
          value={text}
          onChange={write}
          problem={said}
          after={<Zone typed={typed} onChange={onChange} />}
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
          problem={said}
        />
      );
    case "pointer":
      return <PointerPicker label={label} typed={typed} onChange={onChange} problem={said} />;
    case "file":
      return <FileInput label={label} typed={typed} onChange={onChange} problem={said} />;
    case "array":
    case "object":
      return (
        <TextArea
          label={label}
          rows={5}
          value={text}
          onChange={write}
          problem={said}
          spellCheck={false}
          hint={t("JSON")}
          className="mono"
        />
      );
    default:
      return text.includes("\n") || text.length > 80 ? (
        <TextArea label={label} value={text} onChange={write} problem={said} />
      ) : (
        <Field label={label} value={text} onChange={write} problem={said} />
      );
  }
}

function Zone({ typed, onChange }: { typed: Typed; onChange: (typed: Typed) => void }) {
  const { t } = useTexts();
  return (
    <Select
      label={t("Zone")}
      hideLabel
      value={typed.isUtc ? "utc" : "here"}
      onChange={(zone) => onChange({ ...typed, isUtc: zone === "utc" })}
      options={[
        { key: "here", label: Intl.DateTimeFormat().resolvedOptions().timeZone },
        { key: "utc", label: "UTC (Z)" },
      ]}
    />
  );
}

function FileInput({ label, typed, onChange, problem }: ValueEditorProps) {
  const { t } = useTexts();
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
      onChange({ ...typed, text: file.name(), file });
    } catch (error) {
      const { title, detail } = explain(error, t);
      setFailure(`${title}. ${detail}`);
    } finally {
      setProgress(undefined);
    }
  }
  const done = progress === undefined ? undefined : t("{n} % uploaded", { n: Math.round(progress * 100) });
  return (
    <Field
      label={label}
      type="file"
      onChange={(event) => void upload(event)}
      hint={done ?? (typed.file ? t("Now: {name}", { name: typed.file.name() }) : undefined)}
      problem={failure ?? problem}
    />
  );
}

/** As servers take names: no signs beside letters, digits, spaces, dots, dashes; at most 128. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\w .@-]+/g, "_").replace(/^[^A-Za-z0-9_]+/, "");
  return plain.slice(-100) || "file";
}
