import type { StudioFinding } from "@purse/server/studio-api";
import { Button, EmptyState, QueryState, Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Page, Section } from "../../components/Page.tsx";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";

/** Security findings, most severe first, with advice. */
export function SecurityCheck() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [closing, setClosing] = useState<string>();
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
                  <li key={`${finding.id} ${finding.className ?? finding.title}`} className="stack tight">
                    <div className="row">
                      <SeverityBadge severity={finding.severity} />
                      <strong lang="en">{finding.title}</strong>
                    </div>
                    <p lang="en" className="soft">
                      {finding.advice}
                    </p>
                    {finding.className !== undefined && (
                      <p className="row">
                        <Link to="/classes" search={{ class: finding.className }}>
                          {t("Open class {name}", { name: finding.className })}
                        </Link>
                        {canEdit && finding.isClosable && (
                          <Button small onClick={() => setClosing(finding.className)}>
                            {t("Close {name} to clients", { name: finding.className })}
                          </Button>
                        )}
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </Section>
          )
        }
      </QueryState>
      {closing !== undefined && (
        <SchemaDiff
          className={closing}
          edit={{ access: "closed" }}
          successMessage={t("Permissions of {name} updated", { name: closing })}
          onClose={() => setClosing(undefined)}
          onDone={() => {
            setClosing(undefined);
            void findings.refetch();
          }}
        />
      )}
    </Page>
  );
}

function SeverityBadge({ severity }: { severity: StudioFinding["severity"] }) {
  const { t } = useTranslation();
  if (severity === "high") return <Status kind="danger">{t("High")}</Status>;
  if (severity === "medium") return <Status kind="warning">{t("Medium")}</Status>;
  return <Status kind="info">{t("Low")}</Status>;
}
