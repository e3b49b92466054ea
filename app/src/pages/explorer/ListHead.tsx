import type { Page } from "@purse/client";
import type { QueryResult } from "../../design/QueryState.tsx";
import { allPages } from "./answers.ts";
import { ExportButton } from "./ExportButton.tsx";
import { Total } from "./parts.tsx";

/** So many rows go into a file at most. */
const MOST = 2_000;

export interface ListHeadProps<Row> {
  query: QueryResult<Pick<Page<Row>, "total">>;
  /** Of the file, without an ending. */
  name: string;
  columns: readonly string[];
  cells: (row: Row) => readonly string[];
  /** A page of the list, the first without a cursor; the largest that there is. */
  page: (part: { limit: number; cursor?: string }) => Promise<Page<Row>>;
}

/** Above a list: how many rows it has, and the way to take them along as a file. */
export function ListHead<Row>({ query, name, columns, cells, page }: ListHeadProps<Row>) {
  return (
    <div className="row spread">
      <Total query={query} />
      <ExportButton
        name={name}
        columns={columns}
        rows={async () =>
          (await allPages((cursor) => page({ limit: 500, ...(cursor && { cursor }) }), MOST)).map(cells)
        }
      />
    </div>
  );
}
