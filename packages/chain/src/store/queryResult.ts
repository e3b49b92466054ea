/** Rows of a page, and the total number over all pages. */
export interface QueryResult<Row> {
  rows: Row[];
  total: number;
}
