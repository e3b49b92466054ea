import type { Page } from "@purse/client";
import { type QueryResult, QueryState } from "@purse/ui";
import type { ReactNode } from "react";
import { Pager, RowCount } from "./components.tsx";
import { ListHeader, type ListHeaderProps } from "./ListHeader.tsx";

export interface PagedListProps<Row> {
  query: QueryResult<Page<Row>>;
  /** The loading label for screen readers. */
  label: string;
  /** The cursor of the page in the URL. */
  cursor: string | undefined;
  /** Enables the CSV export; otherwise only the row count is shown. */
  file?: Omit<ListHeaderProps<Row>, "query">;
  /** The rows; undefined while loading. */
  children: (rows: readonly Row[] | undefined) => ReactNode;
}

/** A page of a data service list with pagination. */
export function PagedList<Row>({ query, label, cursor, file, children }: PagedListProps<Row>) {
  return (
    <>
      {file ? <ListHeader query={query} {...file} /> : <RowCount query={query} />}
      <QueryState query={query} label={label} skeleton={children(undefined)}>
        {({ result }) => children(result)}
      </QueryState>
      <Pager cursor={cursor} next={query.data?.cursor} />
    </>
  );
}
