import type Database from "better-sqlite3";
import { toBytes } from "../model/hexBytes.ts";
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
    const touched = touchedErc721(transfers);
    if (touched.length === 0 || !this.areCorrected()) return;
    const dropped =
      keptFrom(this.#db) === undefined ? undefined : this.#db.prepare<[Buffer, Buffer], Receiver>(DROPPED);
    for (const { token, tokenId } of touched) {
      const [contract, id] = [toBytes(token), toBytes(tokenId)];
      const received = receivers?.get(token + tokenId);
      const moved = receivers
        ? undefined
        : (this.#statements.last.get(contract, id) ?? dropped?.get(contract, id));
      const owner = receivers ? received && toBytes(received) : moved?.to_address;
      this.correctToken(contract, id, owner || undefined);
    }
  }

  /** Whether the index contains all transfers. */
  areCorrected(): boolean {
    return hasAllTransfers(this.#statements.definition.get()?.value);
  }

  /** Corrects the owner of a token to the receiver of its last transfer, if it has one. */
  correctToken(token: Uint8Array, tokenId: Uint8Array, owner: Uint8Array | undefined): void {
    const { rows, range, remove, add } = this.#statements;
    const balances = rows.all(token, tokenId);
    const held = balances.filter((row) => row.held === 1);
    const [first] = held;
    const isBurned = owner !== undefined && NULL_BYTES.equals(owner);
    const isRight =
      owner === undefined
        ? balances.length === 0
        : isBurned
          ? held.length === 0
          : held.length === 1 && first?.amount === "1" && first.owner.equals(owner);
    if (isRight || balances.some(({ standard }) => standard !== 721) || range.get(token, tokenId, tokenId))
      return;
    remove.run(token, tokenId);
    if (owner !== undefined && !isBurned) add.run(token, tokenId, owner);
  }
}

interface Receiver {
  to_address: Buffer;
}

/** The receiver of the last transfer of a token whose events have been removed. */
const DROPPED = "SELECT receiver AS to_address FROM dropped_nfts WHERE token = ? AND token_id = ?";

const NULL_BYTES = toBytes(NULL_ADDRESS);

function prepare(db: Database.Database) {
  return {
    definition: db.prepare<[], { value: string }>("SELECT value FROM facts WHERE key = 'making'"),
    last: db.prepare<[Uint8Array, Uint8Array], Receiver>(
      `SELECT to_address FROM nft_transfers WHERE token = ? AND token_id = ?
       ORDER BY position DESC, part DESC LIMIT 1`,
    ),
    rows: db.prepare<
      [Uint8Array, Uint8Array],
      { owner: Buffer; amount: string; held: number; standard: number }
    >("SELECT owner, amount, held, standard FROM nft_balances WHERE token = ? AND token_id = ?"),
    range: db.prepare<[Uint8Array, Uint8Array, Uint8Array], { position: number }>(
      "SELECT position FROM nft_ranges WHERE token = ? AND first <= ? AND last >= ? LIMIT 1",
    ),
    remove: db.prepare("DELETE FROM nft_balances WHERE token = ? AND token_id = ?"),
    add: db.prepare("INSERT INTO nft_balances VALUES (?, ?, ?, 721, '1', 1)"),
  };
}
