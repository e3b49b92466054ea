import type { JsonValue } from "@purse/protocol";
import type { Store, Write } from "../database/store.ts";
import { bcryptCostOf, type PasswordOrigin, type Passwords } from "./password.ts";

/** The unique value whose owner is the highest cost of the imported password hashes. */
const HIGHEST_COST = { scope: "_User.importedHashes", value: "bcrypt" } as const;

/** Whether a unique value is the recorded cost of imported hashes. */
export function isImportedCost({ scope, value }: { scope: string; value: string }): boolean {
  return scope === HIGHEST_COST.scope && value === HIGHEST_COST.value;
}

/** The highest cost of the hashes that were imported from another server, of which there may be none. */
export class ImportedHashes {
  readonly #store: Pick<Store, "getUniqueOwner" | "write">;

  constructor(store: Pick<Store, "getUniqueOwner" | "write">) {
    this.#store = store;
  }

  /** The recorded cost; undefined if no hash was imported. It is read each time, as an import may change it. */
  async highestCost(): Promise<number | undefined> {
    const recorded = await this.#store.getUniqueOwner(HIGHEST_COST.scope, HIGHEST_COST.value);
    return recorded === undefined ? undefined : Number(recorded);
  }

  /** Returns the writes that record the cost of a hash, if it is higher than what is known. */
  async writesFor(passwordHash: JsonValue | undefined): Promise<Write[]> {
    const cost = typeof passwordHash === "string" ? bcryptCostOf(passwordHash) : undefined;
    if (cost === undefined || cost <= ((await this.highestCost()) ?? 0)) return [];
    return [
      { kind: "releaseUnique", ...HIGHEST_COST },
      { kind: "reserveUnique", ...HIGHEST_COST, owner: String(cost) },
    ];
  }

  /**
   * Does what is left of the work of a wrong password, so that it takes as long for users with an imported hash as for
   * all others and for nobody. Without imported hashes that is nothing.
   */
  async completeFailure(
    passwordHash: string | undefined,
    password: string,
    passwords: Passwords,
    origin: PasswordOrigin,
  ): Promise<void> {
    // Databases whose users were imported by an earlier version have not recorded it.
    const writes = await this.writesFor(passwordHash);
    if (writes.length > 0) await this.#store.write(writes);
    const cost = await this.highestCost();
    if (cost !== undefined) await passwords.completeFailure(passwordHash, password, cost, origin);
  }
}
