/** Whether all cases run (`npm run test:all`). `npm test` takes some cases of each kind. */
export const ALL_CASES = process.env.PURSE_TESTS === "all";

/** The cases that run: with `npm run test:all` all of them, with `npm test` the chosen ones. */
export function casesOf<Case>(
  all: readonly Case[],
  isChosen: (each: Case, index: number) => boolean,
): readonly Case[] {
  return ALL_CASES ? all : all.filter(isChosen);
}

/**
 * Pairs of rows and columns: with `npm run test:all` each row with each column, with `npm test` each row with one column, and
 * the columns in turns.
 */
export function pairsOf<Row, Column>(
  rows: readonly Row[],
  columns: readonly Column[],
): [row: Row, column: Column][] {
  return rows.flatMap((row, i) =>
    columns
      .filter((_, j) => ALL_CASES || j === i % columns.length)
      .map((column): [Row, Column] => [row, column]),
  );
}
