import type { Page } from "@purse/client";
import type { ReactNode } from "react";
import type { QueryResult } from "../../design/QueryState.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { Pager, RowCount } from "./components.tsx";
import { ListHeader, type ListHeaderProps } from "./ListHeader.tsx";

export interface PagedListProps<Row> {
  query: QueryResult<Page<Row>>;
  /** What is being loaded, for screen readers. */
  label: string;
  /** Where in the list the page is, as the address bar has it. */
  cursor: string | undefined;
  /** How the list leaves as a file; without it only the number of its rows stands above it. */
  file?: Omit<ListHeaderProps<Row>, "query">;
  /** The rows; undefined while they are on their way. */
  children: (rows: readonly Row[] | undefined) => ReactNode;
}

/** A page of a list of the data service, with the ways to the newest and to older rows. */
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
