import type { Page } from "@purse/client";
import type { QueryResult } from "../../design/QueryState.tsx";
import { RowCount } from "./components.tsx";
import { readAllPages } from "./dataQueries.ts";
import { ExportButton } from "./ExportButton.tsx";

/** So many rows go into a file at most. */
const MAX_EXPORTED_ROWS = 2_000;

export interface ListHeaderProps<Row> {
  query: QueryResult<Pick<Page<Row>, "total">>;
  /** Of the file, without an ending. */
  name: string;
  columns: readonly string[];
  cells: (row: Row) => readonly string[];
  /** A page of the list, the first without a cursor; the largest that there is. */
  page: (options: { limit: number; cursor?: string }) => Promise<Page<Row>>;
}

/** Above a list: how many rows it has, and the way to take them along as a file. */
export function ListHeader<Row>({ query, name, columns, cells, page }: ListHeaderProps<Row>) {
  return (
    <div className="row spread">
      <RowCount query={query} />
      <ExportButton
        name={name}
        columns={columns}
        rows={async () =>
          (
            await readAllPages((cursor) => page({ limit: 500, ...(cursor && { cursor }) }), MAX_EXPORTED_ROWS)
          ).map(cells)
        }
      />
    </div>
  );
}
