import type { StudioClass } from "@purse/server/studio-api";
import { EmptyState, useTranslation } from "@purse/ui";
import { type ReactNode, useState } from "react";
import { isSystemClass } from "./classes.ts";
import { PickList } from "./PickList.tsx";

export interface ClassWorkbenchProps {
  classes: readonly StudioClass[];
  /** Name of the selected class; empty for none. */
  chosen: string;
  onChoose: (className: string) => void;
  children: (shown: StudioClass) => ReactNode;
}

/** The list of classes beside the selected one; the first by default. */
export function ClassWorkbench({ classes, chosen, onChoose, children }: ClassWorkbenchProps) {
  const { t } = useTranslation();
  const shown =
    classes.find(({ className }) => className === chosen) ?? (chosen === "" ? classes[0] : undefined);
  return (
    <div className="workbench">
      <ClassList classes={classes} value={shown?.className} onChange={onChoose} />
      {shown ? (
        children(shown)
      ) : (
        <EmptyState title={t("Class not found")}>{t("Select another one from the list.")}</EmptyState>
      )}
    </div>
  );
}

interface ClassListProps {
  classes: readonly StudioClass[];
  value: string | undefined;
  onChange: (className: string) => void;
}

/** A sidebar list to select a class. */
function ClassList({ classes, value, onChange }: ClassListProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const itemsOf = (rows: readonly StudioClass[]) =>
    rows.map(({ className }) => ({ key: className, label: className }));
  return (
    <PickList
      label={t("Classes")}
      groups={[
        { title: t("Your classes"), items: itemsOf(shown.filter((row) => !isSystemClass(row))) },
        { title: t("System classes"), items: itemsOf(shown.filter(isSystemClass)) },
      ].filter(({ items }) => items.length > 0)}
      value={value}
      onChange={onChange}
      search={{ label: t("Search classes"), value: text, onChange: setText }}
      empty={t("No matching classes")}
    />
  );
}
