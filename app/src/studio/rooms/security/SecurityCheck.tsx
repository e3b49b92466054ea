import type { StudioFinding } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";

/** What of this server is more open than it need be, the worst first, and what to do about it. */
export function SecurityCheck() {
  const { t, count } = useTranslation();
  const findings = useAnswer<{ results: StudioFinding[] }>("/security");
  return (
    <Room
      title={t("Security check")}
      about={t(
        "What is more open than it need be, the worst first. Looked at anew each time this room is opened.",
      )}
    >
      <Answered answer={findings} label={t("Looking at settings, classes and operators")}>
        {({ results }) =>
          results.length === 0 ? (
            <EmptyState title={t("Nothing was found")}>
              {t("Settings, classes and operators are as they should be.")}
            </EmptyState>
          ) : (
            <Section title={count(results.length, "{n} finding", "{n} findings")}>
              <ul className="list">
                {results.map((finding) => (
                  <li key={finding.id} className="stack tight">
                    <div className="row">
                      <Severity of={finding.severity} />
                      <strong lang="en">{finding.title}</strong>
                    </div>
                    <p lang="en" className="soft">
                      {finding.advice}
                    </p>
                    {finding.className !== undefined && (
                      <p>
                        <Link to="/classes" search={{ class: finding.className }}>
                          {t("Open the class {name}", { name: finding.className })}
                        </Link>
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </Section>
          )
        }
      </Answered>
    </Room>
  );
}

function Severity({ of }: { of: StudioFinding["severity"] }) {
  const { t } = useTranslation();
  if (of === "high") return <Status kind="danger">{t("High")}</Status>;
  if (of === "medium") return <Status kind="warning">{t("Medium")}</Status>;
  return <Status kind="info">{t("Low")}</Status>;
}
