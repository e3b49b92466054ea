import type { JsonValue } from "@purse/protocol";
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Column } from "./columns.ts";
import { readTyped, typedOf } from "./typed.ts";

export interface CellEditorProps {
  column: Column;
  value: JsonValue | undefined;
  /** What began it, where that was a letter: it takes the place of the value. */
  typed: string | undefined;
  /** `by` is where to go then: a row down, a column on or back, or nowhere. */
  onDone: (value: JsonValue, by: "down" | "on" | "back" | undefined) => void;
  onCancel: () => void;
}

const INLINE = new Set(["String", "Number", "Boolean", "Date"]);

/** Whether a type is typed in its cell; the others have a dialog. */
export function isInline({ type }: Column): boolean {
  return INLINE.has(type);
}

/** Typed in the place of a cell. Enter takes it, Tab too and goes on, Escape leaves the value as it was. */
export function CellEditor({ column, value, typed, onDone, onCancel }: CellEditorProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(typed ?? typedOf(value, column));
  const [problem, setProblem] = useState<string | undefined>(undefined);

  // What is taken away loses the focus too, which is no second answer.
  const isOver = useRef(false);

  function take(by: "down" | "on" | "back" | undefined): void {
    if (isOver.current) return;
    const read = readTyped(text, column);
    // A text that was not there and is not typed is still not there.
    if (column.type === "String" && text === "" && value === undefined) leave();
    else if (read.problem === undefined) {
      isOver.current = true;
      onDone(read.value, by);
    } else setProblem(read.problem);
  }

  function leave(): void {
    isOver.current = true;
    onCancel();
  }

  function keyDown(event: KeyboardEvent): void {
    // A letter of an input method is no key yet.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") leave();
    else if (event.key === "Tab") take(event.shiftKey ? "back" : "on");
    else if (event.key === "Enter" && !event.altKey && !event.shiftKey) take("down");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const bound = {
    value: text,
    // The grid has begun this: the focus goes where the typing goes.
    autoFocus: true,
    title: problem ?? (column.type === "Date" ? t("Time of {zone}", { zone }) : undefined),
    "aria-label": column.type === "Date" ? `${column.name}, ${zone}` : column.name,
    "aria-invalid": problem !== undefined || undefined,
    onKeyDown: keyDown,
    // The menu of the browser, for the text; that of the grid is for cells.
    onContextMenu: (event: MouseEvent) => event.stopPropagation(),
    onBlur: () => take(undefined),
  };
  return (
    <>
      {column.type === "Boolean" ? (
        <select {...bound} onChange={(event) => setText(event.target.value)}>
          <option value="">—</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : column.type === "String" ? (
        <textarea {...bound} rows={1} onFocus={toEnd} onChange={(event) => setText(event.target.value)} />
      ) : (
        <input
          {...bound}
          type={column.type === "Date" ? "datetime-local" : "text"}
          step={0.001}
          inputMode={column.type === "Number" ? "decimal" : undefined}
          onFocus={toEnd}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {problem !== undefined && (
        <span className="visually-hidden" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

/** What is typed next follows the letter that began it. Inputs of dates have no such place. */
function toEnd({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  const end = target.value.length;
  if (target.type !== "datetime-local") target.setSelectionRange(end, end);
}
