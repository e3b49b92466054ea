import { useMoralis } from "@purse/react";
import { useEffect, useState } from "react";
import { Field } from "../../design/Field.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { isClassName } from "./classes.ts";
import { titleOf } from "./columns.ts";
import type { ValueEditorProps } from "./valueEditorProps.ts";

const MAX_SHOWN = 6;
const FETCHED = 100;
const PAUSE_MS = 250;

interface Found {
  id: string;
  title: string;
}

/** A record of any class, found by what is in it or by its id: `Note:` and a word. */
export function PointerPicker({ label, typed, onChange, problem }: ValueEditorProps) {
  const { t } = useTexts();
  const [className = "", sought = ""] = typed.text.split(":");
  const found = useRecords(isClassName(className.replace(/^_/, "")) ? className : "", sought);
  const isChosen = found.some(({ id }) => id === sought);
  return (
    <div className="stack tight">
      <Field
        label={label}
        value={typed.text}
        onChange={(event) => onChange({ ...typed, text: event.target.value })}
        placeholder="Note:"
        hint={t("A class, a colon, and a word or an id: pick from what is found.")}
        problem={problem}
        spellCheck={false}
        autoCapitalize="none"
      />
      {!isChosen && found.length > 0 && (
        <ul className="picks" aria-label={t("Records found")}>
          {found.slice(0, MAX_SHOWN).map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                className="pick"
                onClick={() => onChange({ ...typed, text: `${className}:${id}` })}
              >
                <bdi className="clip">{title}</bdi>
                <code className="soft small">{id}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function useRecords(className: string, sought: string): readonly Found[] {
  const { Moralis } = useMoralis();
  const [all, setAll] = useState<readonly Found[]>([]);
  useEffect(() => {
    setAll([]);
    if (className === "") return undefined;
    const ended = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const query = new Moralis.Query(className).descending("updatedAt").limit(FETCHED);
        const records = await query.find({ signal: ended.signal });
        setAll(records.map((record) => ({ id: record.id ?? "", title: titleOf(record) })));
      } catch {
        // A class that one may not read, or that is not there yet, has nothing to pick from.
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [Moralis, className]);
  const word = sought.trim().toLowerCase();
  return all.filter(
    ({ id, title }) => id.toLowerCase().startsWith(word) || title.toLowerCase().includes(word),
  );
}
