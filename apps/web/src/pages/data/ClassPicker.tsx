import { Button, FailedRead, Field, type QueryResult, Select, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { isClassName, knownClasses } from "./classes.ts";

/** More classes are shown in a select input. */
const MAX_CHIPS = 12;

export interface ClassPickerProps {
  value: string;
  /** The classes that the server lists. */
  listed: readonly string[] | undefined;
  /** The query of these classes. */
  query: QueryResult<unknown>;
  onChange: (name: string) => void;
}

/** Selects a listed class, or any other by its name. */
export function ClassPicker({ value, listed, query, onChange }: ClassPickerProps) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  function open(event: FormEvent) {
    event.preventDefault();
    const className = name.trim();
    if (!isClassName(className))
      return setProblem(
        t("Class names start with a letter and contain only letters, digits and underscores."),
      );
    setProblem(undefined);
    setName("");
    onChange(className);
  }
  const names = [...new Set([...(listed ?? knownClasses()), value])];
  return (
    <div className="class-picker">
      {names.length > MAX_CHIPS ? (
        <Select
          label={t("Class")}
          value={value}
          onChange={onChange}
          options={names.map((name) => ({ key: name, label: name }))}
        />
      ) : (
        <Chips names={names} value={value} onChange={onChange} />
      )}
      <FailedRead query={query}>{t("Classes could not be loaded")}</FailedRead>
      <form onSubmit={open} noValidate>
        <Field
          label={t("Open class")}
          value={name}
          onText={setName}
          placeholder="Recipe"
          translate="no"
          problem={problem}
          autoCapitalize="none"
          spellCheck={false}
          after={<Button type="submit">{t("Open")}</Button>}
        />
      </form>
    </div>
  );
}

interface ChipsProps {
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
}

function Chips({ names, value, onChange }: ChipsProps) {
  const { t } = useTranslation();
  return (
    <ul className="chips" aria-label={t("Classes")}>
      {names.map((each) => (
        <li key={each}>
          <button
            type="button"
            className="chip button small"
            aria-pressed={each === value}
            onClick={() => onChange(each)}
          >
            <bdi title={each}>{each}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
