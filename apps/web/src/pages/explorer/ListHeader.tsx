import type { Page } from "@purse/client";
import type { QueryResult } from "@purse/ui";
import { RowCount } from "./components.tsx";
import { readAllPages } from "./dataQueries.ts";
import { ExportButton } from "./ExportButton.tsx";

/** Maximum number of exported rows. */
const MAX_EXPORTED_ROWS = 2_000;

export interface ListHeaderProps<Row> {
  query: QueryResult<Pick<Page<Row>, "total">>;
  /** The file name without its extension. */
  name: string;
  columns: readonly string[];
  cells: (row: Row) => readonly string[];
  /** Reads a page of the list; the first one without a cursor. */
  page: (options: { limit: number; cursor?: string }) => Promise<Page<Row>>;
}

/** The header of a list with its row count and CSV export. */
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
