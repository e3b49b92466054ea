import { useTranslation } from "@purse/ui";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { FunctionConsole } from "./FunctionConsole.tsx";
import { GraphqlConsole } from "./GraphqlConsole.tsx";
import { RestConsole } from "./RestConsole.tsx";

/** Calls the APIs of the server, with the master key or as a user. */
export function Console() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("API console")}
      description={t(
        "Call the REST API, GraphQL and cloud functions as anyone. The master key stays on the server.",
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
              <RestConsole initial={{ method: "GET", path: "/classes/_User?limit=5", body: "{}" }} />
            ),
          },
          { key: "graphql", label: "GraphQL", content: () => <GraphqlConsole /> },
          { key: "functions", label: t("Functions"), content: () => <FunctionConsole /> },
        ]}
      />
    </Page>
  );
}
