import type { StudioResponse } from "@purse/server/studio-api";
import { Code, Detail, DetailList, EmptyState, QueryState, useTranslation } from "@purse/ui";
import { Page } from "../../components/Page.tsx";
import { PickList } from "../../components/PickList.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { Runner } from "../functions/Runner.tsx";

/** Loaded plugins, their functions and a runner. */
export function Plugins() {
  const { t } = useTranslation();
  const defined = useStudioQuery("/functions", {});
  return (
    <Page
      title={t("Plugins")}
      description={t("Server plugins configured in purse.config.ts")}
      editRole="editor"
    >
      <QueryState query={defined} label={t("Loading plugins…")}>
        {({ plugins }) =>
          plugins.length === 0 ? (
            <EmptyState title={t("No plugins")}>
              {t("plugins of purse.config.ts lists the files to load. The server reads it when it starts.")}
            </EmptyState>
          ) : (
            <Workbench plugins={plugins} />
          )
        }
      </QueryState>
    </Page>
  );
}

function Workbench({ plugins }: Pick<StudioResponse<"GET", "/functions">, "plugins">) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useSearchParam("function");
  const all = plugins.flatMap((plugin) =>
    plugin.functions.map((name) => ({ plugin, name, full: `${plugin.name}_${name}` })),
  );
  const shown = all.find(({ full }) => full === chosen) ?? all[0];
  return (
    <div className="workbench">
      <PickList
        label={t("Plugins")}
        groups={plugins.map((plugin) => ({
          key: plugin.name,
          title: (
            <p className="pick-title">
              <strong>{plugin.name}</strong>{" "}
              <span className="soft small">
                {t("{n, plural, one {# function} other {# functions}}", { n: plugin.functions.length })}
              </span>
            </p>
          ),
          items: all
            .filter((each) => each.plugin === plugin)
            .map(({ name, full }) => ({ key: full, label: <code className="cut">{name}</code> })),
        }))}
        value={shown?.full}
        onChange={setChosen}
      />
      {shown && (
        <div className="stack">
          <section className="card stack" aria-label={t("Details of {name}", { name: shown.full })}>
            <DetailList>
              <Detail label={t("Plugin")}>{shown.plugin.name}</Detail>
              <Detail label={t("Loaded from")}>
                <code>{shown.plugin.file}</code>
              </Detail>
              <Detail label={t("Settings")}>
                {t("Configured in the plugin's code. Restart the server to apply changes.")}
              </Detail>
            </DetailList>
            <Code
              label={t("Code examples")}
              text={`await Moralis.Plugins.${shown.plugin.name}.${shown.name}({ … });`}
            />
          </section>
          <Runner key={shown.full} name={shown.full} />
        </div>
      )}
    </div>
  );
}
