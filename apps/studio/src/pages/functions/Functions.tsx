import type { StudioResponse } from "@purse/server/studio-api";
import { EmptyState, Notice, QueryState, useTranslation } from "@purse/ui";
import { useState } from "react";
import { Page, Section } from "../../components/Page.tsx";
import { PickList } from "../../components/PickList.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { Runner } from "./Runner.tsx";

/** Runs cloud functions with the master key or as a user. */
export function Functions() {
  const { t } = useTranslation();
  const defined = useStudioQuery("/functions", {});
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

function Workbench({ functions, defined, triggers, refused }: StudioResponse<"GET", "/functions">) {
  const { t } = useTranslation();
  const [name, setName] = useSearchParam("function");
  const [searchText, setSearchText] = useState("");
  const shown = functions.filter((each) => each.toLowerCase().includes(searchText.toLowerCase()));
  const isOwn = (each: string) => defined.includes(each);
  const itemsOf = (names: readonly string[]) =>
    names.map((key) => ({ key, label: <code className="cut">{key}</code> }));
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
      {refused.length > 0 && (
        <Notice kind="danger" title={t("Refused for a minute after blocking the cloud code repeatedly")}>
          <ul className="row">
            {refused.map((each) => (
              <li key={each.name}>
                <code>{each.name}</code>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="workbench">
        <PickList
          label={t("Functions")}
          groups={[
            { title: t("Cloud code"), items: itemsOf(shown.filter(isOwn)) },
            { title: t("Built-in and hooks"), items: itemsOf(shown.filter((each) => !isOwn(each))) },
          ].filter(({ items }) => items.length > 0)}
          value={chosen}
          onChange={setName}
          search={{ label: t("Search functions"), value: searchText, onChange: setSearchText }}
        >
          <p className="soft small" role="status">
            {t("{n, plural, one {# function} other {# functions}}", { n: shown.length })}
          </p>
        </PickList>
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
