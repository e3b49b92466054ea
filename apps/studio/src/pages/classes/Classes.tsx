import { ownValue } from "@purse/protocol";
import { Button, Code, QueryState, useTranslation, useUnsaved } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ClassWorkbench } from "../../components/ClassList.tsx";
import { useClasses } from "../../components/classes.ts";
import { Page, Section } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { ClassEditor } from "./ClassEditor.tsx";
import { countChanges, type Draft, NO_CHANGES } from "./classDraft.ts";
import { NewClass } from "./NewClass.tsx";

/** Classes with their fields and indexes, and the schema as code. */
export function Classes() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const classes = useClasses();
  const [chosen, setChosen] = useSearchParam("class");
  const [isAdding, setAdding] = useState(false);
  /** By class, so that switching classes or tabs loses nothing. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  useUnsaved(Object.values(drafts).some((draft) => countChanges(draft) > 0));
  const renderClasses = () => (
    <QueryState query={classes} label={t("Loading classes…")}>
      {(rows) => (
        <ClassWorkbench classes={rows} chosen={chosen} onChoose={setChosen}>
          {(shown) => (
            <ClassEditor
              key={shown.className}
              row={shown}
              classes={rows.map(({ className }) => className)}
              draft={ownValue(drafts, shown.className) ?? NO_CHANGES}
              onDraft={(draft) => setDrafts({ ...drafts, [shown.className]: draft })}
              onDeleted={() => setChosen("")}
            />
          )}
        </ClassWorkbench>
      )}
    </QueryState>
  );
  return (
    <Page
      title={t("Classes")}
      description={t("Fields and indexes of each class. You review changes before they are applied.")}
      editRole="editor"
      actions={
        <Button icon={Plus} variant="primary" disabled={!canEdit} onClick={() => setAdding(true)}>
          {t("Create class")}
        </Button>
      }
    >
      <SearchTabs
        label={t("Classes")}
        tabs={[
          { key: "classes", label: t("Fields and indexes"), content: renderClasses },
          { key: "code", label: t("Code"), content: () => <SchemaCode /> },
        ]}
      />
      {isAdding && (
        <NewClass
          existingNames={classes.data?.map(({ className }) => className) ?? []}
          onClose={() => setAdding(false)}
          onDone={(className) => {
            setAdding(false);
            setChosen(className);
          }}
        />
      )}
    </Page>
  );
}

function SchemaCode() {
  const { t } = useTranslation();
  const code = useStudioQuery("/schema/code", {});
  return (
    <QueryState query={code} label={t("Loading code…")}>
      {({ code: text, types }) => (
        <>
          <Section title={t("Schema as code")}>
            <p className="soft">
              {t("Add this to purse.config.ts to create the same classes on another server.")}
            </p>
            <Code label={t("schemas of purse.config.ts")} text={text} />
          </Section>
          <Section title={t("TypeScript types")}>
            <p className="soft">{t("Typed fields for the SDK. Run the command to write them to a file.")}</p>
            <Code label={t("Command")} text="npm run purse -- types --out src/classes.ts" />
            <Code label={t("Class types")} text={types} />
          </Section>
        </>
      )}
    </QueryState>
  );
}
