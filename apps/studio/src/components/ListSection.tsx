import { Button, EmptyState, Table, type TableProps, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { type ListQuery, ListState } from "./ListState.tsx";
import { Section } from "./Page.tsx";

interface TableSectionProps<Row> extends Omit<TableProps<Row>, "caption" | "rows" | "empty"> {
  title: string;
  /** The accessible name of the table; the title by default. */
  caption?: string;
  /** What the section shows without rows. */
  empty: { title: string; text?: string; action?: ReactNode };
  /** Buttons beside the title. */
  buttons?: ReactNode;
  /** A paragraph below the title. */
  description?: ReactNode;
  /** Inputs above the table. */
  filters?: ReactNode;
  /** Shows all rows again; undefined while no filter is set. */
  onClearFilters?: (() => void) | undefined;
  /** Further content below the table, such as dialogs. */
  children?: ReactNode;
}

/** Rows that the page has already, or a query with its loading label for screen readers. */
type RowSource<Row> =
  | { rows: readonly Row[]; query?: undefined }
  | { rows?: undefined; query: ListQuery<Row>; loadingLabel: string };

export type ListSectionProps<Row> = TableSectionProps<Row> & RowSource<Row>;

/** A section of a page with rows in a table. */
export function ListSection<Row>(props: ListSectionProps<Row>) {
  const { title, caption = title, columns, rowKey, actions, empty, onClearFilters } = props;
  const { t } = useTranslation();
  const renderTable = (rows: readonly Row[]) => (
    <Table
      {...{ caption, columns, rows, rowKey, actions }}
      empty={
        onClearFilters ? (
          <EmptyState
            title={t("No matching entries")}
            action={<Button onClick={onClearFilters}>{t("Clear filters")}</Button>}
          />
        ) : (
          <EmptyState title={empty.title} action={empty.action}>
            {empty.text}
          </EmptyState>
        )
      }
    />
  );
  return (
    <Section title={title} actions={props.buttons}>
      {props.description}
      {props.filters && <div className="filters">{props.filters}</div>}
      {props.query ? (
        <ListState query={props.query} label={props.loadingLabel}>
          {renderTable}
        </ListState>
      ) : (
        renderTable(props.rows)
      )}
      {props.children}
    </Section>
  );
}
