import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { Runner } from "./Runner.tsx";

interface Defined {
  /** All that can be run: also the server's own, and those of hooks and plugins. */
  functions: string[];
  /** Those of the cloud code and of plugins. */
  defined: string[];
  triggers: string[];
  rateLimited: number;
}

/** Runs functions of the cloud code, as the operator or as a user. */
export function Functions() {
  const { t } = useTranslation();
  const defined = useAnswer<Defined>("/functions");
  return (
    <Room
      title={t("Functions")}
      about={t("Run a function, see what it answers, what it logs and how long it takes.")}
      changes="editor"
    >
      <Answered answer={defined} label={t("Loading the functions")}>
        {(data) => <Workbench {...data} />}
      </Answered>
    </Room>
  );
}

function Workbench({ functions, defined, triggers }: Defined) {
  const { t, count } = useTranslation();
  const [name, setName] = useUrl("function");
  const [find, setFind] = useState("");
  const shown = functions.filter((each) => each.toLowerCase().includes(find.toLowerCase()));
  const isOwn = (each: string) => defined.includes(each);
  const groups = [
    { title: t("Of the code"), names: shown.filter(isOwn) },
    { title: t("Of the server and of hooks"), names: shown.filter((each) => !isOwn(each)) },
  ].filter(({ names }) => names.length > 0);
  const chosen = functions.includes(name) ? name : undefined;
  if (functions.length === 0) {
    return (
      <EmptyState title={t("There is no function yet")}>
        {t("Parse.Cloud.define in the cloud code makes one; it shows here as soon as the code is loaded.")}
      </EmptyState>
    );
  }
  return (
    <>
      <div className="workbench">
        <nav className="card" aria-label={t("Functions")}>
          <Field
            label={t("Find a function")}
            type="search"
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <p className="soft small" role="status">
            {count(shown.length, "{n} function", "{n} functions")}
          </p>
          {groups.map(({ title, names }) => (
            <div key={title}>
              <p className="soft small pick-title">{title}</p>
              <ul>
                {names.map((each) => (
                  <li key={each}>
                    <button
                      type="button"
                      className="pick"
                      aria-current={each === chosen}
                      onClick={() => setName(each)}
                    >
                      <code className="cut">{each}</code>
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {chosen === undefined ? (
          <EmptyState title={t("Choose a function")}>{t("It runs only when you say so.")}</EmptyState>
        ) : (
          <Runner key={chosen} name={chosen} />
        )}
      </div>
      {triggers.length > 0 && (
        <Section title={t("Triggers of the code")}>
          <ul className="row">
            {triggers.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
