import { Field, useTranslation } from "@purse/ui";
import { useState } from "react";
import { type ClassSchema, isSystemClass } from "./classes.ts";

/** A sidebar list to select a class. */
export function ClassList({
  classes,
  value,
  onChange,
}: {
  classes: readonly ClassSchema[];
  value: string | undefined;
  onChange: (className: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const groups = [
    { title: t("Your classes"), rows: shown.filter((row) => !isSystemClass(row)) },
    { title: t("System classes"), rows: shown.filter(isSystemClass) },
  ];
  return (
    <nav className="card" aria-label={t("Classes")}>
      <Field
        label={t("Search classes")}
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
      {shown.length === 0 && <p className="soft">{t("No matching classes")}</p>}
    </nav>
  );
}
