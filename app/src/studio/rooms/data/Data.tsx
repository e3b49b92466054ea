import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room } from "../parts/Room.tsx";
import { ClassGrid } from "./ClassGrid.tsx";
import type { DataClass } from "./columns.ts";

/** All rows of all classes, to look at and to change. */
export function Data() {
  const { t } = useTranslation();
  const { class: chosen } = useSearch({ from: "/data" });
  const schema = useAnswer<{ results: DataClass[] }>("/schema");
  return (
    <Room title={t("Data")} about={t("The rows of every class.")} changes="editor">
      <Answered answer={schema} label={t("Loading the classes")}>
        {({ results }) => {
          const classes = [...results].sort(byName);
          const shown = chosen === undefined ? classes[0] : classes.find((each) => each.className === chosen);
          return (
            <div className="data-room">
              <ClassList classes={classes} shown={shown} />
              {shown ? (
                <ClassGrid key={shown.className} dataClass={shown} />
              ) : (
                <EmptyState title={t("There is no class {name}", { name: chosen ?? "" })}>
                  {t("Choose one of the list.")}
                </EmptyState>
              )}
            </div>
          );
        }}
      </Answered>
    </Room>
  );
}

/** Classes of the application first, then those of the server. */
function byName(a: DataClass, b: DataClass): number {
  const isServers = ({ className }: DataClass) => Number(className.startsWith("_"));
  return isServers(a) - isServers(b) || a.className.localeCompare(b.className);
}

function ClassList({ classes, shown }: { classes: readonly DataClass[]; shown: DataClass | undefined }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const found = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <nav className="stack tight" aria-label={t("Classes")}>
      <Field label={t("Find a class")} type="search" value={text} onChange={(e) => setText(e.target.value)} />
      <ul>
        {found.map(({ className }) => (
          <li key={className}>
            <Link
              to="/data"
              search={{ class: className }}
              className="pick class-link"
              aria-current={className === shown?.className ? "true" : undefined}
            >
              <bdi>{className}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="soft small">{t("No class has that in its name.")}</p>}
    </nav>
  );
}
