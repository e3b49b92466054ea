import { EmptyState, QueryState, Select, useTranslation } from "@purse/ui";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { RestConsole } from "./RestConsole.tsx";

/** Calls cloud functions over the REST API. */
export function FunctionConsole() {
  const { t } = useTranslation();
  const [chosen, setChosen] = useSearchParam("function");
  const query = useStudioQuery("/functions", {});
  return (
    <QueryState query={query} label={t("Loading functions…")}>
      {({ functions, defined }) => {
        const names = [...defined, ...functions.filter((name) => !defined.includes(name))];
        const name = names.find((each) => each === chosen) ?? names[0];
        if (name === undefined) return <EmptyState title={t("No functions yet")} />;
        return (
          <div className="stack">
            <div className="filters">
              <Select
                label={t("Function")}
                value={name}
                onChange={setChosen}
                options={names.map((key) => ({ key, label: key }))}
              />
            </div>
            <RestConsole
              key={name}
              draftName={`function ${name}`}
              initial={{ method: "POST", path: `/functions/${encodeURIComponent(name)}`, body: "{}" }}
            />
          </div>
        );
      }}
    </QueryState>
  );
}
