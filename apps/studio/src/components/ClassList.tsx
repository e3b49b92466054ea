import { useTranslation } from "@purse/ui";
import { useState } from "react";
import { type ClassSchema, isSystemClass } from "./classes.ts";
import { PickList } from "./PickList.tsx";

/** A sidebar list to select a class. */
export function ClassList({
  classes,
  value,
  onChange,
}: {
  classes: readonly ClassSchema[];
  value: string | undefined;
  onChange: (className: string) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const itemsOf = (rows: readonly ClassSchema[]) =>
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
