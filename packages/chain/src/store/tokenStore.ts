import { sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { searchKey, type TokenMetadata } from "../model/tokens.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { padValues } from "./padValues.ts";
import { tokenMetadata } from "./tableRows.ts";

const tokens = query.selectFrom("tokens").selectAll();
/** ERC-20 tokens that have logged a transfer, or at least have decimals, which no other standard has. */
const erc20Tokens = tokens
  .where("standard", "=", sql.lit(20))
  .where((eb) => eb.or([eb("position", "is not", null), eb("decimals", "is not", null)]));
/** The same, and NFT collections. */
const tokensAndCollections = tokens.where((eb) =>
  eb.or([eb("standard", "<>", sql.lit(20)), eb("position", "is not", null), eb("decimals", "is not", null)]),
);
/** Greater than any character of a search key. */
const LAST_CHARACTER = "\u{10ffff}";

/** The token contracts of an index with their metadata. */
export class TokenStore {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Metadata of tokens with the time when it was read (s since the epoch); those without are omitted. */
  async metadata(addresses: string[]): Promise<Map<string, TokenMetadata & { readAt: number }>> {
    if (addresses.length === 0) return new Map();
    const rows = await this.#reader.all(
      tokens.where("known", "=", sql.lit(1)).where("address", "in", padValues(addresses.map(toBytes))),
    );
    return new Map(
      rows.map((row) => [toHex(row.address), { ...tokenMetadata(row), readAt: row.read_at ?? 0 }]),
    );
  }

  /** ERC-20 tokens with one of the symbols, case-insensitive. */
  async withSymbols(symbols: string[], limit: number): Promise<TokenMetadata[]> {
    if (symbols.length === 0) return [];
    const keys = padValues(symbols.map((symbol) => searchKey(symbol)));
    const rows = await this.#reader.all(
      erc20Tokens.where("symbol_key", "in", keys).orderBy("position").orderBy("address").limit(limit),
      "list",
    );
    return rows.map(tokenMetadata);
  }

  /**
   * ERC-20 tokens, on request also NFT collections, whose symbol or name begins with a text, case-insensitive: equal
   * symbols first, then equal names, then the others, the oldest first.
   */
  async search(text: string, limit: number, includesCollections = false): Promise<TokenMetadata[]> {
    const all = includesCollections ? tokensAndCollections : erc20Tokens;
    const key = searchKey(text) ?? "";
    const found = new Map<string, TokenMetadata>();
    for (const column of ["symbol_key", "name_key"] as const) {
      const equal = all.where(column, "=", key).orderBy("position");
      for (const row of await this.#reader.all(equal.orderBy("address").limit(limit), "list"))
        found.set(toHex(row.address), tokenMetadata(row));
    }
    for (const column of ["symbol_key", "name_key"] as const) {
      const { textOrder } = this.#reader.dialect;
      const name = sql<string>`${sql.ref(column)}${textOrder}`;
      const similar = all.where(name, ">=", key).where(name, "<", key + LAST_CHARACTER);
      for (const row of await this.#reader.all(
        similar.orderBy(name).orderBy("position").limit(limit),
        "list",
      )) {
        const address = toHex(row.address);
        if (!found.has(address)) found.set(address, tokenMetadata(row));
      }
    }
    return [...found.values()].slice(0, limit);
  }

  /** All tokens with metadata in the order of their addresses, after one of them. */
  async after(address: string | undefined, limit: number): Promise<TokenMetadata[]> {
    const known = tokens.where("known", "=", sql.lit(1));
    const rest = address === undefined ? known : known.where("address", ">", toBytes(address));
    return (await this.#reader.all(rest.orderBy("address").limit(limit))).map(tokenMetadata);
  }

  /** Tokens whose metadata has not been read yet. */
  async withoutMetadata(limit: number): Promise<{ address: string; standard: number }[]> {
    const rows = await this.#reader.all(
      tokens.where("known", "=", sql.lit(0)).orderBy("address").limit(limit),
    );
    return rows.map(({ address, standard }) => ({ address: toHex(address), standard }));
  }
}
