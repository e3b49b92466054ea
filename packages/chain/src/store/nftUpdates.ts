import { sql } from "kysely";
import { toBytes, toHex, toWord } from "../model/hexBytes.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";

/** Tokens of one collection per update. */
const UPDATE_BATCH_SIZE = 1_000;
/** The range of all ids. */
const FIRST_ID = `0x${"0".repeat(64)}`;
const LAST_ID = `0x${"f".repeat(64)}`;
/** The block of an update that applies regardless of it, which a client has requested. */
export const ANY_BLOCK = 2 ** 33;

const NO_BYTES = Buffer.alloc(0);

/** Updates of NFT metadata that contracts reported or clients requested, by ranges of ids. */
export class NftUpdates {
  readonly #reader: IndexReader;
  /** The collection that was updated last. */
  #lastUpdated: Uint8Array = NO_BYTES;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Queues a collection for refresh: its name and symbol, and all tokens. */
  async requestCollectionRefresh(token: string): Promise<void> {
    const bytes = toBytes(token);
    await this.#reader.change(query.updateTable("tokens").set({ known: 0 }).where("address", "=", bytes));
    await this.#add(bytes, toBytes(FIRST_ID), toBytes(LAST_ID), ANY_BLOCK);
  }

  /** Queues a token or, without `tokenId`, a collection for refresh, also if it is not in the index yet. */
  async requestRefresh({ token, tokenId }: { token: string; tokenId?: string }): Promise<void> {
    if (tokenId === undefined) return this.requestCollectionRefresh(token);
    const id = toBytes(tokenId);
    await this.#add(toBytes(token), id, id, ANY_BLOCK);
  }

  /** Queues tokens that contracts reported as updated up to a block. Returns whether there are more. */
  async apply(upTo: number): Promise<boolean> {
    // Rotates through collections, so that one with constant updates does not delay others.
    const [update] = await this.#reader.all(
      query
        .selectFrom("nft_updates")
        .selectAll()
        .where("token", ">", this.#lastUpdated)
        .where((eb) => eb.or([eb("block", "<=", upTo), eb("block", "=", ANY_BLOCK)]))
        .orderBy("token")
        .orderBy("first")
        .limit(1),
    );
    if (!update) {
      const isRoundDone = this.#lastUpdated.length > 0;
      this.#lastUpdated = NO_BYTES;
      return isRoundDone;
    }
    this.#lastUpdated = update.token;
    const { token, first, last, block } = update;
    const batch = await this.#reader.all(
      query
        .selectFrom("nft_metadata")
        .select("token_id")
        .where("token", "=", token)
        .where("token_id", ">=", first)
        .where("token_id", "<=", last)
        .orderBy("token_id")
        .limit(UPDATE_BATCH_SIZE),
    );
    const lastId = batch.at(-1)?.token_id;
    if (lastId) {
      await this.#reader.change(
        query
          .updateTable("nft_metadata")
          .set((eb) => ({ uri_block: null, tries: 0, due: eb.fn.coalesce("due", eb.lit(1)) }))
          .where("token", "=", token)
          .where("token_id", ">=", first)
          .where("token_id", "<=", lastId)
          .where((eb) =>
            eb.or([
              eb("uri_block", "<", block),
              eb.and([eb("uri_block", "is", null), eb("due", "is", null)]),
            ]),
          ),
      );
      const next = BigInt(toHex(lastId)) + 1n;
      // Insert the remainder before deleting the original, so that a crash in between loses nothing.
      if (batch.length === UPDATE_BATCH_SIZE && next <= BigInt(toHex(last)))
        await this.#add(token, toBytes(toWord(next)), last, block);
    }
    await this.#reader.change(
      query
        .deleteFrom("nft_updates")
        .where("token", "=", token)
        .where("first", "=", first)
        .where("last", "=", last)
        .where("block", "=", block),
    );
    return true;
  }

  async #add(token: Uint8Array, first: Uint8Array, last: Uint8Array, block: number): Promise<void> {
    const largest = (column: "last" | "block") => {
      const [added, stored] = [sql.ref(`excluded.${column}`), sql.ref(`nft_updates.${column}`)];
      return sql<never>`CASE WHEN ${added} > ${stored} THEN ${added} ELSE ${stored} END`;
    };
    await this.#reader.change(
      query
        .insertInto("nft_updates")
        .values({ token, first, last, block })
        .onConflict((conflict) =>
          conflict
            .columns(["token", "first"])
            .doUpdateSet({ last: largest("last"), block: largest("block") }),
        ),
    );
  }
}
