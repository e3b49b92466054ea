import type { Case } from "./contestants.ts";

/** The least ratios that are aimed at. */
export interface Bars {
  sqliteToLimit?: number;
  sqliteToPeer?: number;
  postgresToPeer?: number;
}

const QUERIES: Bars = { sqliteToPeer: 4, postgresToPeer: 3 };

export const BARS: Partial<Record<Case, Bars>> = {
  get: { sqliteToLimit: 0.65, sqliteToPeer: 12, postgresToPeer: 8 },
  "query-100": { sqliteToLimit: 0.75, sqliteToPeer: 6, postgresToPeer: 5 },
  create: { sqliteToLimit: 0.6, sqliteToPeer: 6, postgresToPeer: 5 },
  update: { sqliteToPeer: 8, postgresToPeer: 4 },
  "batch-50": { sqliteToLimit: 0.35, sqliteToPeer: 10, postgresToPeer: 8 },
  function: { sqliteToLimit: 0.35, sqliteToPeer: 4, postgresToPeer: 3 },
  aggregate: QUERIES,
  "in-query": QUERIES,
  include: QUERIES,
  "acl-50": QUERIES,
  text: QUERIES,
};
