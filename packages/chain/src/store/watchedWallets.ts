import { toBytes } from "../model/hexBytes.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import type { WatchedWallet } from "./indexWriter.ts";
import { padValues } from "./padValues.ts";
import { watchedWallet } from "./tableRows.ts";

const watched = query.selectFrom("watched").selectAll();

/** The wallets whose history is indexed, in an index of known wallets. */
export class WatchedWallets {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Watched wallets whose history down to `start` is incomplete. */
  async unfinished(start: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all(
      watched.where("next", ">=", start).orderBy("next", "desc").limit(1000),
    );
    return rows.map(watchedWallet);
  }

  /** Some watched wallets; those with the least indexed history first. */
  async list(limit: number): Promise<WatchedWallet[]> {
    const rows = await this.#reader.all(watched.orderBy("next", "desc").orderBy("address").limit(limit));
    return rows.map(watchedWallet);
  }

  async count(): Promise<number> {
    const [row] = await this.#reader.all(
      query
        .selectFrom("watched")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where(this.#reader.dialect.deadlineCheck),
      "list",
    );
    return row?.count ?? 0;
  }

  /** All watched wallets, or those of the given ones. */
  async get(addresses?: string[]): Promise<WatchedWallet[]> {
    if (addresses?.length === 0) return [];
    const rows = await this.#reader.all(
      addresses ? watched.where("address", "in", padValues(addresses.map(toBytes))) : watched,
    );
    return rows.map(watchedWallet);
  }
}
