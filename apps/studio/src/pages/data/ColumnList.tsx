import { Button, Checkbox, Dialog, Field, IconButton, useTranslation } from "@purse/ui";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useState } from "react";
import { type Column, clampWidth, type Layout, MAX_WIDTH, MIN_WIDTH, moveBy, toggle } from "./columns.ts";

export interface ColumnListProps {
  open: boolean;
  columns: readonly Column[];
  layout: Layout;
  onChange: (layout: Layout) => void;
  onReset: () => void;
  onClose: () => void;
}

/** Edits visibility, pinning, width and order of the columns. */
export function ColumnList({ open, columns, layout, onChange, onReset, onClose }: ColumnListProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const found = columns.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const move = (name: string, by: number) => onChange({ ...layout, order: moveBy(columns, name, by) });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      side
      title={t("Columns")}
      description={t("Saved in this browser, per class")}
      actions={<Button onClick={onReset}>{t("Reset to default")}</Button>}
    >
      <Field label={t("Search columns")} type="search" value={text} onText={setText} />
      <ul className="column-list" aria-label={t("Columns")}>
        {found.map(({ name, width, isHidden, isPinned }) => (
          <li key={name}>
            <span className="grow">
              <Checkbox
                label={<bdi>{name}</bdi>}
                checked={!isHidden}
                onChange={() => onChange({ ...layout, hidden: toggle(layout.hidden, name) })}
              />
            </span>
            <Button
              small
              aria-pressed={isPinned}
              aria-label={t("Pin {name}", { name })}
              variant={isPinned ? "primary" : undefined}
              onClick={() => onChange({ ...layout, pinned: toggle(layout.pinned, name) })}
            >
              {t("Pin")}
            </Button>
            <input
              type="number"
              aria-label={t("Width of {name}", { name })}
              min={MIN_WIDTH}
              max={MAX_WIDTH}
              step={10}
              // Applied on blur, so that partial input is ignored.
              key={width}
              defaultValue={width}
              onBlur={({ target }) => {
                const widths = { ...layout.widths, [name]: clampWidth(target.valueAsNumber) };
                if (target.valueAsNumber !== width) onChange({ ...layout, widths });
              }}
            />
            <IconButton icon={ArrowUp} label={t("Move {name} up", { name })} onClick={() => move(name, -1)} />
            <IconButton
              icon={ArrowDown}
              label={t("Move {name} down", { name })}
              onClick={() => move(name, 1)}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
