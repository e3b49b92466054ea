import type Database from "better-sqlite3";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type NftTransferRow, NULL_ADDRESS } from "../model/rows.ts";
import { hasAllTransfers, touchedErc721 } from "./nftBalanceChanges.ts";
import { keptFrom } from "./sqliteRemoval.ts";

/**
 * An ERC-721 token belongs to the receiver of its last transfer. Balances are sums of transfers, which differ for
 * contracts that mint a token twice or move it from another than its owner; those are replaced. An index of known
 * wallets keeps the sums.
 */
export class SqliteNftOwners {
  readonly #db: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#statements = prepare(db);
  }

  /**
   * Corrects the owners of the ERC-721 tokens of transfers that were added or removed. `receivers` are those of their
   * last transfers if the index does not contain them (see `EventChange`).
   */
  correct(transfers: readonly NftTransferRow[], receivers?: ReadonlyMap<string, string>): void {
    const { definition, last, rows, range, remove, add } = this.#statements;
    const touched = touchedErc721(transfers);
    if (touched.length === 0 || !hasAllTransfers(definition.get()?.value)) return;
    const dropped =
      keptFrom(this.#db) === undefined ? undefined : this.#db.prepare<[Buffer, Buffer], Receiver>(DROPPED);
    for (const { token, tokenId } of touched) {
      const [contract, id] = [toBytes(token), toBytes(tokenId)];
      const moved = receivers ? undefined : (last.get(contract, id) ?? dropped?.get(contract, id));
      const receiver = moved?.to_address;
      const owner = receivers ? receivers.get(token + tokenId) : receiver && toHex(receiver);
      const balances = rows.all(contract, id);
      const held = balances.filter((row) => row.held === 1);
      const [first] = held;
      const isRight =
        owner === undefined
          ? balances.length === 0
          : owner === NULL_ADDRESS
            ? held.length === 0
            : held.length === 1 && first?.amount === "1" && toHex(first.owner) === owner;
      if (isRight || balances.some(({ standard }) => standard !== 721) || range.get(contract, id, id))
        continue;
      remove.run(contract, id);
      if (owner !== undefined && owner !== NULL_ADDRESS) add.run(contract, id, toBytes(owner));
    }
  }
}

interface Receiver {
  to_address: Buffer;
}

/** The receiver of the last transfer of a token whose events have been removed. */
const DROPPED = "SELECT receiver AS to_address FROM dropped_nfts WHERE token = ? AND token_id = ?";

function prepare(db: Database.Database) {
  return {
    definition: db.prepare<[], { value: string }>("SELECT value FROM facts WHERE key = 'making'"),
    last: db.prepare<[Buffer, Buffer], Receiver>(
      `SELECT to_address FROM nft_transfers WHERE token = ? AND token_id = ?
       ORDER BY position DESC, part DESC LIMIT 1`,
    ),
    rows: db.prepare<[Buffer, Buffer], { owner: Buffer; amount: string; held: number; standard: number }>(
      "SELECT owner, amount, held, standard FROM nft_balances WHERE token = ? AND token_id = ?",
    ),
    range: db.prepare<[Buffer, Buffer, Buffer], { position: number }>(
      "SELECT position FROM nft_ranges WHERE token = ? AND first <= ? AND last >= ? LIMIT 1",
    ),
    remove: db.prepare("DELETE FROM nft_balances WHERE token = ? AND token_id = ?"),
    add: db.prepare("INSERT INTO nft_balances VALUES (?, ?, ?, 721, '1', 1)"),
  };
}
