/** A list's rows, and how many there are in all its pages. */
export interface Found<Row> {
  rows: Row[];
  total: number;
}
