import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { ClassList } from "../parts/ClassList.tsx";
import { type ClassRow, useClasses } from "../parts/classes.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { useUnsaved } from "../parts/useUnsaved.ts";
import { useUrl } from "../parts/useUrl.ts";
import { ClassEditor } from "./ClassEditor.tsx";
import { changesIn, type Draft, NO_CHANGES } from "./draft.ts";
import { NewClass } from "./NewClass.tsx";

type Tab = "classes" | "code";

/** Classes with their fields and indexes; all of them as code. */
export function Classes() {
  const { t } = useTranslation();
  const may = useMay("editor");
  const classes = useClasses();
  const [shown, setShown] = useUrl("show");
  const [chosen, setChosen] = useUrl("class");
  const [isAdding, setAdding] = useState(false);
  /** By class: nothing is lost by looking at another, or at the code. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  useUnsaved(Object.values(drafts).some((draft) => changesIn(draft) > 0));
  const tab: Tab = shown === "code" ? "code" : "classes";
  return (
    <Room
      title={t("Classes")}
      about={t("What objects are made of. Each change is shown before it is carried out.")}
      changes="editor"
      actions={
        <Button variant="primary" disabled={!may} onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("Create a class")}
        </Button>
      }
    >
      <Tabs<Tab>
        label={t("Classes")}
        value={tab}
        onChange={(to) => setShown(to === "classes" ? "" : to)}
        tabs={[
          { key: "classes", label: t("Fields and indexes") },
          { key: "code", label: t("As code") },
        ]}
      >
        {tab === "code" ? (
          <SchemaCode />
        ) : (
          <Answered answer={classes} label={t("Loading the classes")}>
            {(rows) => (
              <Workbench
                classes={rows}
                chosen={chosen}
                onChoose={setChosen}
                drafts={drafts}
                onDrafts={setDrafts}
              />
            )}
          </Answered>
        )}
      </Tabs>
      {isAdding && (
        <NewClass
          taken={classes.data?.map(({ className }) => className) ?? []}
          onClose={() => setAdding(false)}
          onDone={(className) => {
            setAdding(false);
            setChosen(className);
          }}
        />
      )}
    </Room>
  );
}

function Workbench({
  classes,
  chosen,
  onChoose,
  drafts,
  onDrafts,
}: {
  classes: readonly ClassRow[];
  chosen: string;
  onChoose: (className: string) => void;
  drafts: Readonly<Record<string, Draft>>;
  onDrafts: (drafts: Readonly<Record<string, Draft>>) => void;
}) {
  const { t } = useTranslation();
  const shown =
    classes.find(({ className }) => className === chosen) ?? (chosen === "" ? classes[0] : undefined);
  return (
    <div className="workbench">
      <ClassList classes={classes} value={shown?.className} onChange={onChoose} />
      {shown ? (
        <ClassEditor
          key={shown.className}
          row={shown}
          classes={classes.map(({ className }) => className)}
          draft={drafts[shown.className] ?? NO_CHANGES}
          onDraft={(draft) => onDrafts({ ...drafts, [shown.className]: draft })}
          onGone={() => onChoose("")}
        />
      ) : (
        <EmptyState title={t("There is no class of this name")}>
          {t("Choose one of the others, or create it.")}
        </EmptyState>
      )}
    </div>
  );
}

function SchemaCode() {
  const { t } = useTranslation();
  const code = useAnswer<{ code: string; types: string }>("/schema/code");
  return (
    <Answered answer={code} label={t("Loading the code")}>
      {({ code: text, types }) => (
        <>
          <Section title={t("For another server")}>
            <p className="soft">
              {t("Put this into purse.config.ts, and another server makes the same classes when it starts.")}
            </p>
            <Code label={t("schemas of purse.config.ts")} text={text} />
          </Section>
          <Section title={t("For TypeScript")}>
            <p className="soft">
              {t(
                "With these types the compiler knows the fields. The command writes them into a file, and keeps them true.",
              )}
            </p>
            <Code label={t("Command")} text="npm run purse -- types --out src/classes.ts" />
            <Code label={t("Types of the classes")} text={types} />
          </Section>
        </>
      )}
    </Answered>
  );
}
