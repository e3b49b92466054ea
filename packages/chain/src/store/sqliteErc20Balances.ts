import type Database from "better-sqlite3";
import { toBytes } from "../model/hexBytes.ts";
import { type Erc20BalanceChange, Erc20TotalChanges } from "./erc20BalanceChanges.ts";
import { decodeOrdered, encodeOrdered } from "./orderedInteger.ts";

/** Writes the balances of ERC-20 tokens to an SQLite index, in the caller's transaction. */
export class SqliteErc20Balances {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#statements = prepare(db);
  }

  add(changes: readonly Erc20BalanceChange[]): void {
    const { find, save, remove, findTotal, saveTotal, removeTotal } = this.#statements;
    const totals = new Erc20TotalChanges();
    for (const { token, owner, amount } of changes) {
      const key = [toBytes(token), toBytes(owner)] as const;
      const found = find.get(...key);
      const before = found ? decodeOrdered(found.amount) : 0n;
      const after = before + amount;
      if (after === 0n) remove.run(...key);
      else save.run(...key, encodeOrdered(after), after > 0n ? 1 : 0);
      totals.add(token, before, after);
    }
    for (const [token, { holders, supply }] of totals.byToken) {
      const key = toBytes(token);
      const found = findTotal.get(key);
      const sum = supply + (found ? decodeOrdered(found.supply) : 0n);
      const count = holders + (found?.holders ?? 0);
      if (count === 0 && sum === 0n) removeTotal.run(key);
      else saveTotal.run(key, count, encodeOrdered(sum));
    }
  }

  clear(): void {
    this.#statements.clearBalances.run();
    this.#statements.clearTotals.run();
  }
}

function prepare(db: Database.Database) {
  return {
    find: db.prepare<[Buffer, Buffer], { amount: Buffer }>(
      "SELECT amount FROM erc20_balances WHERE token = ? AND owner = ?",
    ),
    save: db.prepare("INSERT OR REPLACE INTO erc20_balances VALUES (?, ?, ?, ?)"),
    remove: db.prepare("DELETE FROM erc20_balances WHERE token = ? AND owner = ?"),
    findTotal: db.prepare<[Buffer], { holders: number; supply: Buffer }>(
      "SELECT holders, supply FROM erc20_totals WHERE token = ?",
    ),
    saveTotal: db.prepare("INSERT OR REPLACE INTO erc20_totals VALUES (?, ?, ?)"),
    removeTotal: db.prepare("DELETE FROM erc20_totals WHERE token = ?"),
    clearBalances: db.prepare("DELETE FROM erc20_balances"),
    clearTotals: db.prepare("DELETE FROM erc20_totals"),
  };
}
