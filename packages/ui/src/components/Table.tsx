import type { ReactNode } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Skeleton } from "./Skeleton.tsx";
import "./Table.css";

export interface Column<Row> {
  /** Required if the label is not a string, which identifies the column by default. */
  key?: string;
  label: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Right-aligned with tabular figures. */
  number?: boolean;
  /** A word or two, which stay in one line. */
  isShort?: boolean;
  /** Hidden on phones, where each row is a card. */
  hideOnPhone?: boolean;
}

export interface TableProps<Row> {
  /** The accessible name of the table. */
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Buttons of a row, in a last column. */
  actions?: ((row: Row) => ReactNode) | undefined;
  /** Whether a row has just been added, which is then highlighted for a moment. */
  isNew?: ((row: Row) => boolean) | undefined;
  /** Rendered if there are no rows. */
  empty: ReactNode;
}

/** A simple table. For thousands of rows use the studio's data grid. */
export function Table<Row>({ caption, rows, rowKey, actions, isNew, empty, ...props }: TableProps<Row>) {
  const { t } = useTranslation();
  if (rows?.length === 0) return empty;
  const columns = actions
    ? [
        ...props.columns,
        {
          key: "actions",
          label: <span className="visually-hidden">{t("Actions")}</span>,
          number: true,
          cell: actions,
        },
      ]
    : props.columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="table-scroll" aria-label={caption} tabIndex={0} aria-busy={rows === undefined}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key ?? labelOf(column)} scope="col" className={className(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => (
                <tr key={rowKey(row)} className={isNew?.(row) ? "new-row" : undefined}>
                  {columns.map((column) => (
                    <td
                      key={column.key ?? labelOf(column)}
                      className={className(column)}
                      data-label={labelOf(column)}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))
            : Array.from({ length: 5 }, (_, i) => `waiting ${i}`).map((key) => (
                <tr key={key}>
                  {columns.map((column) => (
                    <td key={column.key ?? labelOf(column)} className={className(column)}>
                      <Skeleton width={column.number ? "5rem" : "70%"} />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  );
}

function className({ number, isShort, hideOnPhone }: Partial<Column<never>>): string | undefined {
  const names = [number && "number right", isShort && "short", hideOnPhone && "minor"];
  return names.filter(Boolean).join(" ") || undefined;
}

function labelOf({ label }: { label: ReactNode }): string | undefined {
  return typeof label === "string" ? label : undefined;
}
