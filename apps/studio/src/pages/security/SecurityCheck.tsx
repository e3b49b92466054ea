import type { StudioFinding } from "@purse/server/studio-api";
import { EmptyState, QueryState, Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Page, Section } from "../../components/Page.tsx";
import { useStudioQuery } from "../../components/useStudioQuery.ts";

/** Security findings, most severe first, with advice. */
export function SecurityCheck() {
  const { t } = useTranslation();
  const findings = useStudioQuery("/security", {});
  return (
    <Page
      title={t("Security check")}
      description={t(
        "Settings that are more permissive than necessary, most severe first. Re-checked on every visit.",
      )}
    >
      <QueryState query={findings} label={t("Checking settings, classes and operators…")}>
        {({ results }) =>
          results.length === 0 ? (
            <EmptyState title={t("No findings")}>
              {t("Settings, classes and operators follow best practices.")}
            </EmptyState>
          ) : (
            <Section title={t("{n, plural, one {# finding} other {# findings}}", { n: results.length })}>
              <ul className="list">
                {results.map((finding) => (
                  <li key={finding.id} className="stack tight">
                    <div className="row">
                      <SeverityBadge severity={finding.severity} />
                      <strong lang="en">{finding.title}</strong>
                    </div>
                    <p lang="en" className="soft">
                      {finding.advice}
                    </p>
                    {finding.className !== undefined && (
                      <p>
                        <Link to="/classes" search={{ class: finding.className }}>
                          {t("Open class {name}", { name: finding.className })}
                        </Link>
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </Section>
          )
        }
      </QueryState>
    </Page>
  );
}

function SeverityBadge({ severity }: { severity: StudioFinding["severity"] }) {
  const { t } = useTranslation();
  if (severity === "high") return <Status kind="danger">{t("High")}</Status>;
  if (severity === "medium") return <Status kind="warning">{t("Medium")}</Status>;
  return <Status kind="info">{t("Low")}</Status>;
}
