import { EmptyState, Field, QueryState, useTranslation } from "@purse/ui";
import { useState } from "react";
import { Page, Section } from "../../components/Page.tsx";
import { useStudioQuery } from "../../components/queries.ts";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { Runner } from "./Runner.tsx";

interface Defined {
  /** All callable functions, including built-in, hook and plugin functions. */
  functions: string[];
  /** Functions of cloud code and plugins. */
  defined: string[];
  triggers: string[];
  rateLimited: number;
}

/** Runs cloud functions with the master key or as a user. */
export function Functions() {
  const { t } = useTranslation();
  const defined = useStudioQuery<Defined>("/functions");
  return (
    <Page
      title={t("Functions")}
      description={t("Run cloud functions and inspect their response, logs and duration")}
      editRole="editor"
    >
      <QueryState query={defined} label={t("Loading functions…")}>
        {(data) => <Workbench {...data} />}
      </QueryState>
    </Page>
  );
}

function Workbench({ functions, defined, triggers }: Defined) {
  const { t, count } = useTranslation();
  const [name, setName] = useSearchParam("function");
  const [searchText, setSearchText] = useState("");
  const shown = functions.filter((each) => each.toLowerCase().includes(searchText.toLowerCase()));
  const isOwn = (each: string) => defined.includes(each);
  const groups = [
    { title: t("Cloud code"), names: shown.filter(isOwn) },
    { title: t("Built-in and hooks"), names: shown.filter((each) => !isOwn(each)) },
  ].filter(({ names }) => names.length > 0);
  const chosen = functions.includes(name) ? name : undefined;
  if (functions.length === 0) {
    return (
      <EmptyState title={t("No functions yet")}>
        {t("Define one in cloud code with Parse.Cloud.define.")}
      </EmptyState>
    );
  }
  return (
    <>
      <div className="workbench">
        <nav className="card" aria-label={t("Functions")}>
          <Field
            label={t("Search functions")}
            type="search"
            value={searchText}
            onChange={(event) => setSearchText(event.target.value)}
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
          <EmptyState title={t("Select a function")}>
            {t("Functions run only when you press Run.")}
          </EmptyState>
        ) : (
          <Runner key={chosen} name={chosen} />
        )}
      </div>
      {triggers.length > 0 && (
        <Section title={t("Triggers in cloud code")}>
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
