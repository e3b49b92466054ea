import { Check, Minus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import "./Matrix.css";

export interface Line {
  key: string;
  /** For screen readers, and where there is little room. */
  label: string;
  head?: ReactNode;
}

export interface Cell {
  isOn: boolean;
  isChanged: boolean;
  /** Why it is so all the same, where it is not on. */
  implied?: string | undefined;
  /** Why there is nothing to set. */
  impossible?: string | undefined;
}

export interface MatrixProps {
  label: string;
  /** Above the heads of the rows. */
  corner: string;
  rows: readonly Line[];
  columns: readonly Line[];
  cellOf: (row: Line, column: Line) => Cell;
  /** Undefined for who may look only. */
  onSet: ((changes: { row: Line; column: Line; to: boolean }[]) => void) | undefined;
  /** The sign of a cell that is on. */
  sign?: ReactNode;
  /** Below each column. */
  foot?: { head: string; of: (column: Line) => ReactNode };
}

/** Yes or no for each row and column. One cell has the focus: arrows move it, Space or Enter changes it. */
export function Matrix(props: MatrixProps) {
  const { label, corner, rows, columns, cellOf, onSet, sign, foot } = props;
  const { t } = useTranslation();
  const table = useRef<HTMLTableElement>(null);
  /** By keys: rows that come in between do not move it. The column after the last is for all of them. */
  const [active, setActive] = useState<{ row: string; column: string | undefined } | undefined>(undefined);
  const indexOf = (lines: readonly Line[], key: string | undefined) =>
    lines.findIndex((line) => line.key === key);
  const at = {
    row: Math.max(0, indexOf(rows, active?.row)),
    column:
      active && active.column === undefined ? columns.length : Math.max(0, indexOf(columns, active?.column)),
  };

  function activate({ row, column }: { row: number; column: number }): void {
    const line = rows[row];
    if (line) setActive({ row: line.key, column: columns[column]?.key });
  }

  function go(row: number, column: number): void {
    const to = {
      row: Math.min(rows.length - 1, Math.max(0, row)),
      column: Math.min(columns.length, Math.max(0, column)),
    };
    activate(to);
    const cell = table.current?.querySelector<HTMLElement>(`[data-at="${to.row} ${to.column}"]`);
    cell?.focus();
  }

  function keyDown(event: KeyboardEvent): void {
    if (event.altKey) return;
    const isFar = event.ctrlKey || event.metaKey;
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(isFar ? rows.length : at.row + 1, at.column),
      ArrowUp: () => go(isFar ? 0 : at.row - 1, at.column),
      ArrowRight: () => go(at.row, isFar ? columns.length : at.column + 1),
      ArrowLeft: () => go(at.row, isFar ? 0 : at.column - 1),
      Home: () => go(isFar ? 0 : at.row, 0),
      End: () => go(isFar ? rows.length : at.row, columns.length),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  const box = (
    place: { row: number; column: number },
    checked: boolean | "mixed",
    name: string,
    set: () => void,
    look: { isChanged?: boolean; isImplied?: boolean },
  ) => (
    // biome-ignore lint/a11y/useSemanticElements: an input has no third state to be told, and no sign of its own.
    <button
      type="button"
      role="checkbox"
      className="matrix-box"
      aria-checked={checked}
      aria-disabled={onSet === undefined || undefined}
      aria-label={name}
      title={name}
      data-at={`${place.row} ${place.column}`}
      data-changed={look.isChanged || undefined}
      data-implied={look.isImplied || undefined}
      tabIndex={place.row === at.row && place.column === at.column ? 0 : -1}
      onFocus={() => activate(place)}
      onClick={() => onSet && set()}
    >
      {checked === true && (sign ?? <Check size={16} strokeWidth={2.6} aria-hidden="true" />)}
      {checked === "mixed" && <Minus size={16} strokeWidth={2.6} aria-hidden="true" />}
      {checked === false && look.isImplied && <Check size={15} strokeWidth={1.6} aria-hidden="true" />}
    </button>
  );

  return (
    <div className="matrix-scroll">
      <table
        ref={table}
        className="matrix"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table with cells to act on.
        role="grid"
        aria-label={label}
        aria-readonly={onSet === undefined}
        aria-rowcount={rows.length + (foot ? 2 : 1)}
        aria-colcount={columns.length + 2}
        onKeyDown={keyDown}
      >
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map((column) => (
              <th key={column.key} scope="col" title={column.label}>
                {column.head ?? column.label}
              </th>
            ))}
            <th scope="col" className="soft">
              {t("all")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => {
            const cells = columns.map((column) => ({ column, cell: cellOf(row, column) }));
            const free = cells.filter(({ cell }) => cell.impossible === undefined);
            const on = free.filter(({ cell }) => cell.isOn).length;
            const all = on === 0 ? false : on === free.length ? true : "mixed";
            return (
              <tr key={row.key}>
                <th scope="row">{row.head ?? <bdi>{row.label}</bdi>}</th>
                {cells.map(({ column, cell }, j) => (
                  <td key={column.key}>
                    {cell.impossible === undefined ? (
                      box(
                        { row: i, column: j },
                        cell.isOn,
                        nameOf(row, column, cell),
                        () => onSet?.([{ row, column, to: !cell.isOn }]),
                        { isChanged: cell.isChanged, isImplied: !cell.isOn && cell.implied !== undefined },
                      )
                    ) : (
                      <Impossible
                        at={`${i} ${j}`}
                        isActive={i === at.row && j === at.column}
                        label={`${row.label}: ${column.label}, ${cell.impossible}`}
                        onFocus={() => activate({ row: i, column: j })}
                      />
                    )}
                  </td>
                ))}
                <td data-all>
                  {box(
                    { row: i, column: columns.length },
                    all,
                    `${row.label}: ${t("all")}`,
                    () =>
                      onSet?.(
                        free
                          .filter(({ cell }) => cell.isOn === (all === true))
                          .map(({ column }) => ({ row, column, to: all !== true })),
                      ),
                    {},
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
        {foot && (
          <tfoot>
            <tr>
              <th scope="row">{foot.head}</th>
              {columns.map((column) => (
                <td key={column.key}>{foot.of(column)}</td>
              ))}
              <td />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );

  function nameOf(row: Line, column: Line, { isChanged, isOn, implied }: Cell): string {
    const said = `${row.label}: ${column.label}`;
    const why = !isOn && implied !== undefined ? `, ${implied}` : "";
    return `${said}${why}${isChanged ? `, ${t("not saved yet")}` : ""}`;
  }
}

/** A place that keys pass, with nothing to set. */
function Impossible(props: { at: string; isActive: boolean; label: string; onFocus: () => void }) {
  return (
    <button
      type="button"
      className="matrix-none"
      aria-disabled="true"
      aria-label={props.label}
      title={props.label}
      data-at={props.at}
      tabIndex={props.isActive ? 0 : -1}
      onFocus={props.onFocus}
    >
      –
    </button>
  );
}
