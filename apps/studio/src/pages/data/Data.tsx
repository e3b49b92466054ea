import { Button, DataSourceProvider, EmptyState, Field, QueryState, useTranslation } from "@purse/ui";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useState } from "react";
import { useClasses } from "../../components/classes.ts";
import { Page } from "../../components/Page.tsx";
import { PickSheet } from "../../components/PickSheet.tsx";
import { useHasRole } from "../../StudioContext.tsx";
import { ClassGrid } from "./ClassGrid.tsx";
import type { DataClass } from "./columns.ts";
import { ImportRows } from "./ImportRows.tsx";
import { useStudioDataSource } from "./useStudioDataSource.ts";

/** The data browser. */
export function Data() {
  const { t } = useTranslation();
  const { class: chosen } = useSearch({ from: "/data" });
  const query = useClasses();
  const source = useStudioDataSource();
  return (
    <Page title={t("Data")} editRole="editor" isCompact>
      <QueryState query={query} label={t("Loading classes…")}>
        {(classes) => {
          const shown = chosen === undefined ? classes[0] : classes.find((each) => each.className === chosen);
          return (
            <DataSourceProvider value={source}>
              <div className="data-page">
                <ClassList classes={classes} shown={shown} />
                {shown ? (
                  <ClassGrid key={shown.className} dataClass={shown} />
                ) : (
                  <EmptyState title={t("Class {name} not found", { name: chosen ?? "" })}>
                    {t("Select a class from the list.")}
                  </EmptyState>
                )}
              </div>
            </DataSourceProvider>
          );
        }}
      </QueryState>
    </Page>
  );
}

function ClassList({ classes, shown }: { classes: readonly DataClass[]; shown: DataClass | undefined }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [isImporting, setIsImporting] = useState(false);
  const canEdit = useHasRole("editor");
  const queryClient = useQueryClient();
  const navigate = useNavigate({ from: "/data" });
  const found = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <>
      <PickSheet label={t("Class")} picked={shown?.className}>
        <nav className="stack tight" aria-label={t("Classes")}>
          <Field label={t("Search classes")} type="search" value={text} onText={setText} />
          <ul>
            {found.map(({ className }) => (
              <li key={className}>
                <Link
                  to="/data"
                  search={{ class: className }}
                  className="pick class-link"
                  aria-current={className === shown?.className ? "true" : undefined}
                >
                  <bdi title={className}>{className}</bdi>
                </Link>
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className="soft small">{t("No matching classes")}</p>}
          {canEdit && (
            <Button icon={Upload} small onClick={() => setIsImporting(true)}>
              {t("New class from file")}
            </Button>
          )}
        </nav>
      </PickSheet>
      {isImporting && (
        <ImportRows
          columns={[]}
          onDone={() => void queryClient.invalidateQueries()}
          onClose={() => setIsImporting(false)}
          onImported={(className) => void navigate({ search: { class: className } })}
        />
      )}
    </>
  );
}
