import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { type ClassRow, isOfServer } from "./classes.ts";

/** The classes at the side of a room, to choose one of. */
export function ClassList({
  classes,
  value,
  onChange,
}: {
  classes: readonly ClassRow[];
  value: string | undefined;
  onChange: (className: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const groups = [
    { title: t("Of the application"), rows: shown.filter((row) => !isOfServer(row)) },
    { title: t("Of the server"), rows: shown.filter(isOfServer) },
  ];
  return (
    <nav className="card" aria-label={t("Classes")}>
      <Field
        label={t("Find a class")}
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {groups.map(
        ({ title, rows }) =>
          rows.length > 0 && (
            <div key={title}>
              <p className="soft small pick-title">{title}</p>
              <ul>
                {rows.map(({ className }) => (
                  <li key={className}>
                    <button
                      type="button"
                      className="pick"
                      aria-current={className === value ? "true" : undefined}
                      onClick={() => onChange(className)}
                    >
                      {className}
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
      {shown.length === 0 && <p className="soft">{t("No class is called that.")}</p>}
    </nav>
  );
}
