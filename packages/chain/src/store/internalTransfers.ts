import { expressionBuilder } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import type { InternalTransferRow } from "../model/rows.ts";
import type { IndexReader } from "./indexReader.ts";
import { internalCounts } from "./listCounts.ts";
import { type ListOptions, type ListResult, readList, selectRows } from "./listQuery.ts";
import type { ListTotals } from "./listTotals.ts";
import { internalTransferRow } from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";
import { partyConditions } from "./transferConditions.ts";

const ofTransfers = expressionBuilder<ChainTables, "internal_transfers">();

/** Native coins that contracts sent, and contracts that they created, in the index of one chain that is traced. */
export class InternalTransfers {
  readonly #reader: IndexReader;
  readonly #totals: ListTotals;

  constructor(reader: IndexReader, totals: ListTotals) {
    this.#reader = reader;
    this.#totals = totals;
  }

  /** Transfers from and to an address, and creations by and of it. */
  async list(address: string, window: ListOptions): Promise<ListResult<InternalTransferRow>> {
    const { rows, total } = await readList(
      this.#reader,
      this.#totals,
      "internal_transfers",
      partyConditions(address),
      window,
      internalCounts(address),
    );
    return { rows: rows.map(internalTransferRow), total };
  }

  /** The last creation of a contract by another. */
  async creationOf(contract: string): Promise<InternalTransferRow | undefined> {
    const isCreation = ofTransfers("to_address", "=", toBytes(contract)).and(
      "created",
      "=",
      ofTransfers.lit(1),
    );
    const [row] = await this.#reader.all(
      selectRows(this.#reader.dialect, "internal_transfers", isCreation, { limit: 1 }),
    );
    return row && internalTransferRow(row);
  }
}
