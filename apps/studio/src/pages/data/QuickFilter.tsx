import { useTranslation } from "@purse/ui";
import { useId, useState } from "react";
import type { Column } from "./columns.ts";
import { parseQuickFilter } from "./quickFilter.ts";

export interface QuickFilterProps {
  column: Column;
  /** The text of the current filter. */
  initialText: string;
  onDone: (filter: ReturnType<typeof parseQuickFilter>) => void;
  onCancel: () => void;
}

/** The input in the head of a column: Enter filters, Escape cancels. */
export function QuickFilter({ column, initialText, onDone, onCancel }: QuickFilterProps) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState(initialText);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  function apply(): void {
    const parsed = parseQuickFilter(text, column);
    if ("problem" in parsed) setProblem(parsed.problem);
    else onDone(parsed);
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
        autoFocus
        className="grid-filter"
        aria-label={t("Filter by {name}", { name: column.name })}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem && id}
        placeholder={
          column.type === "Number" || column.type === "Date" ? `> < = ${column.name}` : column.name
        }
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
          else if (event.key === "Escape") onCancel();
          else return;
          event.stopPropagation();
          event.preventDefault();
        }}
        onBlur={() => (text === initialText ? onCancel() : apply())}
      />
      {problem !== undefined && (
        <span id={id} className="grid-filter-problem" role="alert">
          {t(problem)}
        </span>
      )}
    </>
  );
}
