import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { isClassName, knownClasses } from "./classes.ts";

/** The class that is looked at: those known here at hand, any other by its name. */
export function ClassPicker({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { t } = useTexts();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  function open(event: FormEvent) {
    event.preventDefault();
    const wanted = name.trim();
    if (!isClassName(wanted))
      return setProblem(t("A class begins with a letter; letters, digits and _ follow."));
    setProblem(undefined);
    setName("");
    onChange(wanted);
  }
  return (
    <div className="class-picker">
      <ul className="chips" aria-label={t("Classes")}>
        {[...new Set([...knownClasses(), value])].map((each) => (
          <li key={each}>
            <button
              type="button"
              className="chip button small"
              aria-pressed={each === value}
              onClick={() => onChange(each)}
            >
              {each}
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={open} noValidate>
        <Field
          label={t("Another class")}
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="Recipe"
          problem={problem}
          autoCapitalize="none"
          spellCheck={false}
          after={<Button type="submit">{t("Open")}</Button>}
        />
      </form>
    </div>
  );
}
