import { randomInt } from "node:crypto";
import type { Dialect } from "../sql/dialect.ts";
import { sqliteDialect, textIndexName } from "./dialect.ts";

/*
 * SQLite's own loops cannot be interrupted from JavaScript, so that every statement that may visit many rows calls
 * `purse_checkpoint` now and then, which throws where the statement has to end. Which rows call it is decided by
 * arithmetic on their number: that costs next to nothing, and nobody can choose rows that no checkpoint sees, because
 * the factor is another one in every process.
 */

const FACTOR = randomInt(2 ** 19, 2 ** 20) * 2 + 1;

/** 0 for one of `of` rows (a power of two), anything else for the others. */
function skips(of: number): string {
  return `((seq & 1048575) * ${FACTOR} >> 20 & ${of - 1})`;
}

/** For tables whose rows have no number. */
const SOMETIMES = "(random() & 15 OR purse_checkpoint(0))";

/** Documents of more bytes than this are not read on the request loop. */
export const MAX_INLINE_DOC_BYTES = 16 * 1024;

/**
 * For statements that run on the request loop: within a few ms, and over small documents alone. `purse_checkpoint`
 * is given the size of the document and throws for a large one, too.
 */
export const inlineDialect: Dialect = {
  ...sqliteDialect,
  checkpoint: `(${skips(64)} AND octet_length(doc) <= ${MAX_INLINE_DOC_BYTES} OR purse_checkpoint(octet_length(doc))) AND `,
  relationCheckpoint: `${SOMETIMES} AND `,
};

/**
 * For statements that run in reader threads. Documents are read last, once it is known which ones belong to the page:
 * a sort holds their numbers alone. `purse_takes` throws before a document is read that the answer has no room for.
 */
export const threadDialect: Dialect = {
  ...sqliteDialect,
  checkpoint: `(${skips(32)} OR purse_checkpoint(0)) AND `,
  relationCheckpoint: `${SOMETIMES} AND `,
  textFits: (schema, field) => {
    const index = sqliteDialect.identifier(textIndexName(schema, field));
    return `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND ${SOMETIMES})`;
  },
  page: (what, table, rest) =>
    `SELECT ${what} FROM (SELECT seq AS page_seq FROM ${table} ${rest}) CROSS JOIN ${table} ON seq = page_seq`,
  document: "CASE WHEN purse_takes(octet_length(doc)) THEN doc END",
  documentWithScore: (score) =>
    `CASE WHEN purse_takes(octet_length(doc)) THEN ${sqliteDialect.documentWithScore(score)} END`,
};

/**
 * Whether a statement calls functions of ours whose cost the request decides (patterns, polygons, comparisons of
 * JSON), or searches text: it never runs on the request loop, nor among ordinary statements.
 */
export function isCostly(sql: string): boolean {
  return /\bpurse_(?:regex|polygon_holds|json_equal)\(| MATCH \?/.test(sql);
}
