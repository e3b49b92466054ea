/** Whether all cases run (`npm run test:all`). `npm test` takes some cases of each kind. */
export const ALL_CASES = process.env.PURSE_TESTS === "all";

/** Whether only what `npm test` leaves out runs (`npm run test:all -- --rest`), in the short forms of `npm test`. */
export const REST = process.env.PURSE_TESTS === "rest";

/** Whether cases that take long run, as `.nightly.` files do: in files of which `npm test` runs the quick ones. */
export const NIGHTLY = ALL_CASES || REST;

/** The cases that run: with `npm run test:all` all of them, with `npm test` the chosen ones. */
export function casesOf<Case>(
  all: readonly Case[],
  isChosen: (each: Case, index: number) => boolean,
): readonly Case[] {
  return ALL_CASES ? all : all.filter(isChosen);
}

/**
 * The rows of a table that run with one of its columns: with `npm run test:all` all of them, with `npm test` those whose turn it
 * is, so that each row runs with one column.
 */
export function rowsWith<Row, Column>(
  column: Column,
  rows: readonly Row[],
  columns: readonly Column[],
): readonly Row[] {
  return casesOf(rows, (_, i) => columns[i % columns.length] === column);
}

/** The same for all columns: each row with each of them, or with the one whose turn it is; that of the first row is `first`. */
export function pairsOf<Row, Column>(
  rows: readonly Row[],
  columns: readonly Column[],
  first = 0,
): [row: Row, column: Column][] {
  return rows.flatMap((row, i) =>
    casesOf(columns, (_, j) => j === (first + i) % columns.length).map((column): [Row, Column] => [
      row,
      column,
    ]),
  );
}
