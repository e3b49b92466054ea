import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../../design/states.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { ClassList } from "../parts/ClassList.tsx";
import { type ClassRow, useClasses } from "../parts/classes.ts";
import { Answered, Room } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { AllClasses } from "./AllClasses.tsx";
import { ClassPermissions } from "./ClassPermissions.tsx";
import { changesIn, type Draft, NO_CHANGES } from "./draft.ts";
import { Question } from "./Question.tsx";
import "./permissions.css";

const TABS = ["all", "class", "question"] as const;
type Tab = (typeof TABS)[number];

/** Who may do what: all classes at a glance, each class as a matrix, and the answer for one user and one object. */
export function Permissions() {
  const { t } = useTranslation();
  const classes = useClasses();
  const [shown, setShown] = useUrl("show");
  const [chosen, setChosen] = useUrl("class");
  /** By class: nothing is lost by looking at another. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const isChanged = (classes.data ?? []).some(
    ({ className, classLevelPermissions }) =>
      changesIn(classLevelPermissions, drafts[className] ?? NO_CHANGES).length > 0,
  );
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      current.pathname !== next.pathname &&
      !window.confirm(t("There are changes that are not carried out. Leave without them?")),
    enableBeforeUnload: () => isChanged,
  });
  // Links to a class name nothing else.
  const tab: Tab = TABS.find((each) => each === shown) ?? (chosen === "" ? "all" : "class");
  return (
    <Room
      title={t("Permissions")}
      about={t(
        "Who may do what with the objects of each class. Each change is shown before it is carried out.",
      )}
      changes="editor"
    >
      <Tabs<Tab>
        label={t("Permissions")}
        value={tab}
        onChange={setShown}
        tabs={[
          { key: "all", label: t("All classes") },
          { key: "class", label: t("One class") },
          { key: "question", label: t("May they?") },
        ]}
      >
        <Answered answer={classes} label={t("Loading the classes")}>
          {(rows) =>
            tab === "all" ? (
              <AllClasses classes={rows} />
            ) : tab === "question" ? (
              <Question classes={rows} />
            ) : (
              <Workbench
                classes={rows}
                chosen={chosen}
                onChoose={setChosen}
                drafts={drafts}
                onDrafts={setDrafts}
                onRefresh={() => classes.refetch()}
              />
            )
          }
        </Answered>
      </Tabs>
    </Room>
  );
}

function Workbench({
  classes,
  chosen,
  onChoose,
  drafts,
  onDrafts,
  onRefresh,
}: {
  classes: readonly ClassRow[];
  chosen: string;
  onChoose: (className: string) => void;
  drafts: Readonly<Record<string, Draft>>;
  onDrafts: (drafts: Readonly<Record<string, Draft>>) => void;
  onRefresh: () => Promise<unknown>;
}) {
  const { t } = useTranslation();
  const shown =
    classes.find(({ className }) => className === chosen) ?? (chosen === "" ? classes[0] : undefined);
  return (
    <div className="workbench">
      <ClassList classes={classes} value={shown?.className} onChange={onChoose} />
      {shown ? (
        <ClassPermissions
          key={shown.className}
          row={shown}
          draft={drafts[shown.className] ?? NO_CHANGES}
          onDraft={(draft) => onDrafts({ ...drafts, [shown.className]: draft })}
          onRefresh={onRefresh}
        />
      ) : (
        <EmptyState title={t("There is no class of this name")}>{t("Choose one of the others.")}</EmptyState>
      )}
    </div>
  );
}
