import { Code } from "../../../design/Code.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Runner } from "../functions/Runner.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";

interface Plugin {
  name: string;
  functions: string[];
  file: string;
}

/** Plugins that the server has loaded: what each adds, how an app calls it, and a try. */
export function Plugins() {
  const { t } = useTranslation();
  const defined = useAnswer<{ plugins: Plugin[] }>("/functions");
  return (
    <Room
      title={t("Plugins")}
      about={t("What the server was given beside the cloud code. They are named in purse.config.ts.")}
      changes="editor"
    >
      <Answered answer={defined} label={t("Loading the plugins")}>
        {({ plugins }) =>
          plugins.length === 0 ? (
            <EmptyState title={t("There is no plugin")}>
              {t("plugins of purse.config.ts lists the files to load. The server reads it when it starts.")}
            </EmptyState>
          ) : (
            <Workbench plugins={plugins} />
          )
        }
      </Answered>
    </Room>
  );
}

function Workbench({ plugins }: { plugins: readonly Plugin[] }) {
  const { t, count } = useTranslation();
  const [chosen, setChosen] = useUrl("function");
  const all = plugins.flatMap((plugin) =>
    plugin.functions.map((name) => ({ plugin, name, full: `${plugin.name}_${name}` })),
  );
  const shown = all.find(({ full }) => full === chosen) ?? all[0];
  return (
    <div className="workbench">
      <nav className="card" aria-label={t("Plugins")}>
        {plugins.map((plugin) => (
          <div key={plugin.name}>
            <p className="pick-title">
              <strong>{plugin.name}</strong>{" "}
              <span className="soft small">
                {count(plugin.functions.length, "{n} function", "{n} functions")}
              </span>
            </p>
            <ul>
              {all
                .filter((each) => each.plugin === plugin)
                .map(({ name, full }) => (
                  <li key={full}>
                    <button
                      type="button"
                      className="pick"
                      aria-current={full === shown?.full}
                      onClick={() => setChosen(full)}
                    >
                      <code className="cut">{name}</code>
                    </button>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      {shown && (
        <div className="stack">
          <section className="card stack" aria-label={t("About {name}", { name: shown.full })}>
            <dl className="facts">
              <dt>{t("Plugin")}</dt>
              <dd>{shown.plugin.name}</dd>
              <dt>{t("Loaded from")}</dt>
              <dd>
                <code>{shown.plugin.file}</code>
              </dd>
              <dt>{t("Settings")}</dt>
              <dd>{t("A plugin has its settings in its code; the server loads it anew when it starts.")}</dd>
            </dl>
            <Code
              label={t("In an app")}
              text={`await Moralis.Plugins.${shown.plugin.name}.${shown.name}({ … });`}
            />
          </section>
          <Runner key={shown.full} name={shown.full} />
        </div>
      )}
    </div>
  );
}
