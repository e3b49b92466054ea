import { useMoralis } from "@purse/react";
import { useEffect, useState } from "react";
import { Field } from "../../design/Field.tsx";
import { FailedRead } from "../../design/QueryState.tsx";
import { mayPass } from "../../query/failures.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
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
  const query = useRecords(isClassName(className.replace(/^_/, "")) ? className : "");
  const word = sought.trim().toLowerCase();
  const found = (query.data ?? []).filter(
    ({ id, title }) => id.toLowerCase().startsWith(word) || title.toLowerCase().includes(word),
  );
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
      {mayPass(query.error) && <FailedRead query={query}>{t("The records could not be read")}</FailedRead>}
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

/** The newest records of a class, once its name has been typed. One that may not be read has nothing to pick from. */
function useRecords(typed: string) {
  const { Moralis, user } = useMoralis();
  const [className, setClassName] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setClassName(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return useServerQuery({
    key: className === "" ? undefined : ["records to pick", user?.id, className],
    async read({ signal }) {
      const query = new Moralis.Query(className).descending("updatedAt").limit(FETCHED);
      const records = await query.find({ signal });
      return records.map((record): Found => ({ id: record.id ?? "", title: titleOf(record) }));
    },
  });
}
