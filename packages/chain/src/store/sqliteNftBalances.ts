import type Database from "better-sqlite3";

/** Writes the balances of NFTs to an SQLite index, in the caller's transaction. */
export class SqliteNftBalances {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#statements = prepare(db);
  }

  /** Adds an amount, which is negative for outgoing tokens. */
  add(token: Uint8Array, tokenId: Uint8Array, owner: Uint8Array, standard: number, amount: bigint): void {
    const { find, save, remove } = this.#statements;
    const total = amount + BigInt(find.get(token, tokenId, owner)?.amount ?? 0);
    if (total === 0n) remove.run(token, tokenId, owner);
    else save.run(token, tokenId, owner, standard, total.toString(), total > 0n ? 1 : 0);
  }
}

function prepare(db: Database.Database) {
  return {
    find: db.prepare<[Uint8Array, Uint8Array, Uint8Array], { amount: string }>(
      "SELECT amount FROM nft_balances WHERE token = ? AND token_id = ? AND owner = ?",
    ),
    save: db.prepare("INSERT OR REPLACE INTO nft_balances VALUES (?, ?, ?, ?, ?, ?)"),
    remove: db.prepare("DELETE FROM nft_balances WHERE token = ? AND token_id = ? AND owner = ?"),
  };
}
