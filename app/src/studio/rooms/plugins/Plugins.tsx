import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";

interface Defined {
  plugins: { name: string; functions: string[] }[];
}

/** Plugins that the server has loaded, and the functions that each adds. */
export function Plugins() {
  const { t } = useTexts();
  const defined = useAnswer<Defined>("/functions");
  return (
    <Room
      title={t("Plugins")}
      about={t("What the server was given beside the cloud code. They are named in purse.config.ts.")}
    >
      <Answered answer={defined} label={t("Loading the plugins")}>
        {({ plugins }) =>
          plugins.length === 0 ? (
            <EmptyState title={t("There is no plugin")}>
              {t("plugins of purse.config.ts lists the files to load. The server reads it when it starts.")}
            </EmptyState>
          ) : (
            plugins.map(({ name, functions }) => (
              <Section key={name} title={name}>
                <ul className="row">
                  {functions.map((each) => (
                    <li key={each}>
                      <Link
                        to="/functions"
                        search={{ function: `${name}_${each}` }}
                        aria-label={t("Run {name}", { name: each })}
                      >
                        <code>{each}</code>
                      </Link>
                    </li>
                  ))}
                </ul>
              </Section>
            ))
          )
        }
      </Answered>
    </Room>
  );
}
