import { useTranslation } from "@purse/ui";
import { Check, Minus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import "./Matrix.css";

export interface MatrixLine {
  key: string;
  /** Accessible name and compact label. */
  label: string;
  heading?: ReactNode;
}

export interface MatrixCell {
  isOn: boolean;
  isChanged: boolean;
  /** Where an unset permission is inherited from. */
  inheritedReason?: string | undefined;
  /** Why the cell cannot be set. */
  disabledReason?: string | undefined;
}

export interface MatrixProps {
  label: string;
  /** Heading of the row headers. */
  corner: string;
  rows: readonly MatrixLine[];
  columns: readonly MatrixLine[];
  cellOf: (row: MatrixLine, column: MatrixLine) => MatrixCell;
  /** Undefined when read-only. */
  onSet: ((changes: { row: MatrixLine; column: MatrixLine; to: boolean }[]) => void) | undefined;
  /** Icon of a checked cell. */
  icon?: ReactNode;
  /** Footer cell of each column. */
  footer?: { heading: string; render: (column: MatrixLine) => ReactNode };
}

/** A grid of checkboxes with one focused cell: arrow keys move the focus, Space or Enter toggles. */
export function Matrix(props: MatrixProps) {
  const { label, corner, rows, columns, cellOf, onSet, icon, footer } = props;
  const { t } = useTranslation();
  const table = useRef<HTMLTableElement>(null);
  /** Stored by keys, so that inserted rows do not move the focus. An undefined column is the "all" column. */
  const [active, setActive] = useState<{ row: string; column: string | undefined } | undefined>(undefined);
  const indexOf = (lines: readonly MatrixLine[], key: string | undefined) =>
    lines.findIndex((line) => line.key === key);
  const current = {
    row: Math.max(0, indexOf(rows, active?.row)),
    column:
      active && active.column === undefined ? columns.length : Math.max(0, indexOf(columns, active?.column)),
  };

  function activate({ row, column }: { row: number; column: number }): void {
    const line = rows[row];
    if (line) setActive({ row: line.key, column: columns[column]?.key });
  }

  function moveTo(row: number, column: number): void {
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
    const hasModifier = event.ctrlKey || event.metaKey;
    const moves: Record<string, () => void> = {
      ArrowDown: () => moveTo(hasModifier ? rows.length : current.row + 1, current.column),
      ArrowUp: () => moveTo(hasModifier ? 0 : current.row - 1, current.column),
      ArrowRight: () => moveTo(current.row, hasModifier ? columns.length : current.column + 1),
      ArrowLeft: () => moveTo(current.row, hasModifier ? 0 : current.column - 1),
      Home: () => moveTo(hasModifier ? 0 : current.row, 0),
      End: () => moveTo(hasModifier ? rows.length : current.row, columns.length),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  const renderCheckbox = (
    position: { row: number; column: number },
    checked: boolean | "mixed",
    name: string,
    set: () => void,
    style: { isChanged?: boolean; isInherited?: boolean },
  ) => (
    // biome-ignore lint/a11y/useSemanticElements: an input has no third state for assistive technology, and no custom symbol.
    <button
      type="button"
      role="checkbox"
      className="matrix-box"
      aria-checked={checked}
      aria-disabled={onSet === undefined || undefined}
      aria-label={name}
      title={name}
      data-at={`${position.row} ${position.column}`}
      data-changed={style.isChanged || undefined}
      data-implied={style.isInherited || undefined}
      tabIndex={position.row === current.row && position.column === current.column ? 0 : -1}
      onFocus={() => activate(position)}
      onClick={() => onSet && set()}
    >
      {checked === true && (icon ?? <Check size={16} strokeWidth={2.6} aria-hidden="true" />)}
      {checked === "mixed" && <Minus size={16} strokeWidth={2.6} aria-hidden="true" />}
      {checked === false && style.isInherited && <Check size={15} strokeWidth={1.6} aria-hidden="true" />}
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
        aria-rowcount={rows.length + (footer ? 2 : 1)}
        aria-colcount={columns.length + 2}
        onKeyDown={keyDown}
      >
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map((column) => (
              <th key={column.key} scope="col" title={column.label}>
                {column.heading ?? column.label}
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
            const free = cells.filter(({ cell }) => cell.disabledReason === undefined);
            const on = free.filter(({ cell }) => cell.isOn).length;
            const all = on === 0 ? false : on === free.length ? true : "mixed";
            return (
              <tr key={row.key}>
                <th scope="row">{row.heading ?? <bdi>{row.label}</bdi>}</th>
                {cells.map(({ column, cell }, j) => (
                  <td key={column.key}>
                    {cell.disabledReason === undefined ? (
                      renderCheckbox(
                        { row: i, column: j },
                        cell.isOn,
                        cellName(row, column, cell),
                        () => onSet?.([{ row, column, to: !cell.isOn }]),
                        {
                          isChanged: cell.isChanged,
                          isInherited: !cell.isOn && cell.inheritedReason !== undefined,
                        },
                      )
                    ) : (
                      <DisabledCell
                        current={`${i} ${j}`}
                        isActive={i === current.row && j === current.column}
                        label={`${row.label}: ${column.label}, ${cell.disabledReason}`}
                        onFocus={() => activate({ row: i, column: j })}
                      />
                    )}
                  </td>
                ))}
                <td data-all>
                  {renderCheckbox(
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
        {footer && (
          <tfoot>
            <tr>
              <th scope="row">{footer.heading}</th>
              {columns.map((column) => (
                <td key={column.key}>{footer.render(column)}</td>
              ))}
              <td />
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );

  function cellName(
    row: MatrixLine,
    column: MatrixLine,
    { isChanged, isOn, inheritedReason }: MatrixCell,
  ): string {
    const name = `${row.label}: ${column.label}`;
    const reason = !isOn && inheritedReason !== undefined ? `, ${inheritedReason}` : "";
    return `${name}${reason}${isChanged ? `, ${t("not saved yet")}` : ""}`;
  }
}

/** A focusable cell that cannot be set. */
function DisabledCell(props: { current: string; isActive: boolean; label: string; onFocus: () => void }) {
  return (
    <button
      type="button"
      className="matrix-none"
      aria-disabled="true"
      aria-label={props.label}
      title={props.label}
      data-at={props.current}
      tabIndex={props.isActive ? 0 : -1}
      onFocus={props.onFocus}
    >
      –
    </button>
  );
}
