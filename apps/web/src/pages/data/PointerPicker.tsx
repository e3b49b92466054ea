import { useMoralis } from "@purse/react";
import { FailedRead, Field, isTransientError, useTranslation } from "@purse/ui";
import { useEffect, useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { isClassName } from "./classes.ts";
import { titleOf } from "./columns.ts";
import type { ValueEditorProps } from "./valueEditorProps.ts";

const MAX_SHOWN = 6;
const MAX_FETCHED = 100;
const DEBOUNCE_MS = 250;

interface RecordOption {
  id: string;
  title: string;
}

/** Selects a record by its class and a search term or ID: `Note:` and a word. */
export function PointerPicker({ label, draft, onChange, problem }: ValueEditorProps) {
  const { t } = useTranslation();
  const [className = "", search = ""] = draft.text.split(":");
  const query = useRecords(isClassName(className.replace(/^_/, "")) ? className : "");
  const word = search.trim().toLowerCase();
  const found = (query.data ?? []).filter(
    ({ id, title }) => id.toLowerCase().startsWith(word) || title.toLowerCase().includes(word),
  );
  const isChosen = found.some(({ id }) => id === search);
  return (
    <div className="stack tight">
      <Field
        label={label}
        value={draft.text}
        onChange={(event) => onChange({ ...draft, text: event.target.value })}
        placeholder="Note:"
        hint={t("Type a class name, a colon, and a search term or ID, then select a result.")}
        problem={problem}
        spellCheck={false}
        autoCapitalize="none"
      />
      {isTransientError(query.error) && (
        <FailedRead query={query}>{t("Records could not be loaded")}</FailedRead>
      )}
      {!isChosen && found.length > 0 && (
        <ul className="picks" aria-label={t("Matching records")}>
          {found.slice(0, MAX_SHOWN).map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                className="pick"
                onClick={() => onChange({ ...draft, text: `${className}:${id}` })}
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

/** The latest records of the typed class; none if it is not readable. */
function useRecords(draft: string) {
  const { Moralis, user } = useMoralis();
  const [className, setClassName] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setClassName(draft), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return useServerQuery({
    queryKey: className === "" ? undefined : ["records to pick", user?.id, className],
    async queryFn({ signal }) {
      const query = new Moralis.Query(className).descending("updatedAt").limit(MAX_FETCHED);
      const records = await query.find({ signal });
      return records.map((record): RecordOption => ({ id: record.id ?? "", title: titleOf(record) }));
    },
  });
}
