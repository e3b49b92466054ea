import { LazySection, SkeletonList, useTranslation } from "@purse/ui";
import { lazy } from "react";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { FunctionConsole } from "./FunctionConsole.tsx";
import { GraphqlConsole } from "./GraphqlConsole.tsx";
import { RestConsole } from "./RestConsole.tsx";

/** Few operators open it, and it brings the validation of messages. */
const ScriptConsole = lazy(() =>
  import("./script/ScriptConsole.tsx").then((module) => ({ default: module.ScriptConsole })),
);

/** Calls the APIs of the server, with the master key or as a user. */
export function Console() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("API console")}
      description={t(
        "Call the REST API, GraphQL and cloud functions as anyone, or run scripts. The master key stays on the server.",
      )}
      editRole="editor"
    >
      <SearchTabs
        label={t("APIs")}
        tabs={[
          {
            key: "rest",
            label: "REST",
            content: () => (
              <RestConsole
                draftName="rest"
                initial={{ method: "GET", path: "/classes/_User?limit=5", body: "{}" }}
              />
            ),
          },
          { key: "graphql", label: "GraphQL", content: () => <GraphqlConsole /> },
          { key: "functions", label: t("Functions"), content: () => <FunctionConsole /> },
          {
            key: "script",
            label: "JavaScript",
            content: () => (
              <LazySection fallback={<SkeletonList label={t("Loading the JavaScript console…")} />}>
                <ScriptConsole />
              </LazySection>
            ),
          },
        ]}
      />
    </Page>
  );
}
