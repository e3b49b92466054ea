import { randomInt } from "node:crypto";
import type { Dialect } from "../sql/dialect.ts";
import { sqliteDialect, textIndexName } from "./dialect.ts";

/*
 * JavaScript cannot interrupt SQLite, so every statement that may visit many rows calls `purse_checkpoint` for a sample
 * of them, which throws when the statement has to end. The sample is determined by arithmetic on the row number, which
 * is cheap. The factor is random for each process, so that clients cannot choose rows that are never sampled.
 */

const SAMPLING_FACTOR = randomInt(2 ** 19, 2 ** 20) * 2 + 1;

/** Returns an expression that is 0 for one in `interval` rows (a power of two). */
function skipsCheck(interval: number): string {
  return `((seq & 1048575) * ${SAMPLING_FACTOR} >> 20 & ${interval - 1})`;
}

/** For tables without row numbers. */
const RANDOM_CHECK = "(random() & 15 OR purse_checkpoint(0))";

/** Larger documents, in bytes, are not read on the event loop. */
export const MAX_INLINE_DOC_BYTES = 16 * 1024;

/**
 * Dialect for statements on the event loop: limited to a few ms and to small documents. `purse_checkpoint` receives the
 * size of the document and also throws for large ones.
 */
export const inlineDialect: Dialect = {
  ...sqliteDialect,
  interruptCheck: `(${skipsCheck(64)} AND octet_length(doc) <= ${MAX_INLINE_DOC_BYTES} OR purse_checkpoint(octet_length(doc))) AND `,
  relationInterruptCheck: `${RANDOM_CHECK} AND `,
};

/**
 * Dialect for statements in reader threads. Documents are read last, only for the rows of the page, so that sorting
 * needs no more than row numbers. `purse_takes` throws before a document would exceed the size limit of the result.
 */
export const workerDialect: Dialect = {
  ...sqliteDialect,
  interruptCheck: `(${skipsCheck(32)} OR purse_checkpoint(0)) AND `,
  relationInterruptCheck: `${RANDOM_CHECK} AND `,
  textMatches: (schema, field) => {
    const index = sqliteDialect.identifier(textIndexName(schema, field));
    return `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND ${RANDOM_CHECK})`;
  },
  selectPage: (what, table, rest) =>
    `SELECT ${what} FROM (SELECT seq AS page_seq FROM ${table} ${rest}) CROSS JOIN ${table} ON seq = page_seq`,
  document: "CASE WHEN purse_takes(octet_length(doc)) THEN doc END",
  documentWithScore: (score) =>
    `CASE WHEN purse_takes(octet_length(doc)) THEN ${sqliteDialect.documentWithScore(score)} END`,
};
