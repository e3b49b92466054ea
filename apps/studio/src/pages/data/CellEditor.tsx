import type { JsonValue } from "@purse/protocol";
import { editableText, parseValue, useTranslation } from "@purse/ui";
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useId, useRef, useState } from "react";
import { CellProblem } from "./CellProblem.tsx";
import type { Column } from "./columns.ts";

export interface CellEditorProps {
  column: Column;
  value: JsonValue | undefined;
  /** The typed character that started editing; replaces the value. */
  initialText: string | undefined;
  /** `direction` is the cell to move to afterwards, if any. */
  onDone: (value: JsonValue, direction: "down" | "next" | "previous" | undefined) => void;
  /** An invalid value was left: it stays in the cell, which is not saved. */
  onInvalid: (text: string, reason: string) => void;
  onCancel: () => void;
}

/** Inline editor of a cell. Enter and Tab commit, Escape cancels. An invalid value keeps it open, with the reason below. */
export function CellEditor({ column, value, initialText, onDone, onInvalid, onCancel }: CellEditorProps) {
  const { t } = useTranslation();
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null);
  const [text, setText] = useState(initialText ?? editableText(value, column));
  const [problem, setProblem] = useState<string | undefined>(undefined);

  // Unmounting triggers blur, which must not commit again.
  const isFinished = useRef(false);

  function commit(direction: "down" | "next" | "previous" | undefined): void {
    if (isFinished.current) return;
    const parsed = parseValue(text, column);
    // An untouched missing String stays undefined.
    if (column.type === "String" && text === "" && value === undefined) cancel();
    else if (parsed.problem === undefined) {
      isFinished.current = true;
      onDone(parsed.value, direction);
    } else setProblem(parsed.problem);
  }

  /** Something else has the focus: nobody would see the reason below the editor. */
  function leave(): void {
    if (isFinished.current) return;
    const parsed = parseValue(text, column);
    if (parsed.problem === undefined) commit(undefined);
    else {
      isFinished.current = true;
      onInvalid(text, parsed.problem);
    }
  }

  function cancel(): void {
    isFinished.current = true;
    onCancel();
  }

  function keyDown(event: KeyboardEvent): void {
    // Ignores keys during IME composition.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") cancel();
    else if (event.key === "Tab") commit(event.shiftKey ? "previous" : "next");
    else if (event.key === "Enter" && !event.altKey && !event.shiftKey) commit("down");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const inputProps = {
    value: text,
    // The grid started editing, so the editor takes the focus.
    autoFocus: true,
    ref: input,
    title: column.type === "Date" ? t("Time zone: {zone}", { zone: timeZone }) : undefined,
    "aria-label": column.type === "Date" ? `${column.name}, ${timeZone}` : column.name,
    "aria-invalid": problem !== undefined || undefined,
    "aria-describedby": problem === undefined ? undefined : `${id}-problem`,
    onKeyDown: keyDown,
    // Keeps the browser's context menu in the editor.
    onContextMenu: (event: MouseEvent) => event.stopPropagation(),
    onBlur: leave,
  };
  return (
    <>
      {column.type === "Boolean" ? (
        <select {...inputProps} onChange={(event) => setText(event.target.value)}>
          <option value="">—</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : column.type === "String" ? (
        <textarea
          {...inputProps}
          rows={1}
          onFocus={moveCursorToEnd}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <input
          {...inputProps}
          type={column.type === "Date" ? "datetime-local" : "text"}
          step={0.001}
          inputMode={column.type === "Number" ? "decimal" : undefined}
          onFocus={moveCursorToEnd}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {problem !== undefined && (
        <CellProblem id={`${id}-problem`} input={input}>
          {t(problem)}
        </CellProblem>
      )}
    </>
  );
}

/** Moves the cursor to the end; date inputs have no cursor. */
function moveCursorToEnd({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  const end = target.value.length;
  if (target.type !== "datetime-local") target.setSelectionRange(end, end);
}
