import type Database from "better-sqlite3";
import { sqliteLiteral } from "./schema.ts";
import { proxiesOf } from "./upgradedContracts.ts";

type InsertName =
  | "block"
  | "transaction"
  | "fees"
  | "log"
  | "nftTransfer"
  | "nftRange"
  | "trade"
  | "internal"
  | "discoveredToken"
  | "nft"
  | "nftUpdate"
  | "requeueToken";

export interface Inserts extends Record<InsertName, Database.Statement> {
  newest: Database.Statement<[], { hash: Buffer }>;
}

/** The statements that insert the rows of blocks. Rows that exist are kept. */
export function prepareInserts(db: Database.Database): Inserts {
  return {
    newest: db.prepare<[], { hash: Buffer }>("SELECT hash FROM blocks ORDER BY number DESC LIMIT 1"),
    block: db.prepare("INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?)"),
    transaction: db.prepare(
      "INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    fees: db.prepare("INSERT OR IGNORE INTO transaction_fees VALUES (?, ?, ?, ?, ?, ?)"),
    log: db.prepare("INSERT OR IGNORE INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    nftTransfer: db.prepare(
      "INSERT OR IGNORE INTO nft_transfers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    nftRange: db.prepare("INSERT OR IGNORE INTO nft_ranges VALUES (?, ?, ?, ?, ?, ?)"),
    trade: db.prepare("INSERT OR IGNORE INTO trades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    internal: db.prepare("INSERT OR IGNORE INTO internal_transfers VALUES (?, ?, ?, ?, ?, ?)"),
    discoveredToken: db.prepare(
      `INSERT INTO tokens (address, standard, position, known) VALUES (?, ?, ?, 0)
       ON CONFLICT DO UPDATE SET position = excluded.position, standard = excluded.standard, known = 0
       WHERE tokens.position IS NULL OR tokens.position > excluded.position`,
    ),
    nft: db.prepare(
      `INSERT INTO nft_metadata (token, token_id, standard, position) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position WHERE nft_metadata.position > excluded.position`,
    ),
    nftUpdate: db.prepare(
      `INSERT INTO nft_updates VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET last = max(last, excluded.last), block = max(block, excluded.block)`,
    ),
    requeueToken: db.prepare(
      `WITH changed(address) AS (SELECT ?) UPDATE tokens SET known = 0 WHERE address IN (
        SELECT address FROM changed UNION ${proxiesOf("(SELECT address FROM changed)", sqliteLiteral)})`,
    ),
  };
}
