import { ownValue } from "@purse/protocol";
import { QueryState, Tabs, useTranslation, useUnsaved } from "@purse/ui";
import { useState } from "react";
import { ClassWorkbench } from "../../components/ClassList.tsx";
import { useClasses } from "../../components/classes.ts";
import { Page } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { AccessCheck } from "./AccessCheck.tsx";
import { AllClasses } from "./AllClasses.tsx";
import { ClassPermissions } from "./ClassPermissions.tsx";
import { type Draft, NO_CHANGES, pendingChanges } from "./permissionsDraft.ts";
import "./permissions.css";

const TABS = ["all", "class", "question"] as const;
type Tab = (typeof TABS)[number];

/** Class permissions: an overview, a matrix per class and an access check. */
export function Permissions() {
  const { t } = useTranslation();
  const classes = useClasses();
  const [shown, setShown] = useSearchParam("show");
  const [chosen, setChosen] = useSearchParam("class");
  /** By class, so that switching classes loses nothing. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const isChanged = (classes.data ?? []).some(
    ({ className, classLevelPermissions }) =>
      pendingChanges(classLevelPermissions, ownValue(drafts, className) ?? NO_CHANGES).length > 0,
  );
  useUnsaved(isChanged);
  // Links may set only the class.
  const tab: Tab = TABS.find((each) => each === shown) ?? (chosen === "" ? "all" : "class");
  return (
    <Page
      title={t("Permissions")}
      description={t("Who can access the objects of each class. You review changes before they are applied.")}
      editRole="editor"
    >
      <Tabs<Tab>
        label={t("Permissions")}
        value={tab}
        onChange={setShown}
        tabs={[
          { key: "all", label: t("All classes") },
          { key: "class", label: t("One class") },
          { key: "question", label: t("Check access") },
        ]}
      >
        <QueryState query={classes} label={t("Loading classes…")}>
          {(rows) =>
            tab === "all" ? (
              <AllClasses classes={rows} />
            ) : tab === "question" ? (
              <AccessCheck classes={rows} />
            ) : (
              <ClassWorkbench classes={rows} chosen={chosen} onChoose={setChosen}>
                {(row) => (
                  <ClassPermissions
                    key={row.className}
                    row={row}
                    draft={ownValue(drafts, row.className) ?? NO_CHANGES}
                    onDraft={(draft) => setDrafts({ ...drafts, [row.className]: draft })}
                    onRefresh={() => classes.refetch()}
                  />
                )}
              </ClassWorkbench>
            )
          }
        </QueryState>
      </Tabs>
    </Page>
  );
}
