import type { Logger } from "../observe/logger.ts";
import type { Leases } from "../store/lease.ts";
import { LeaseKeeper } from "./leaseKeeper.ts";

/** A lease of this process, and the number of the term that lasts now. */
export interface HeldLease {
  name: string;
  term: number;
}

/** The leases that a process tries to hold. */
export class HeldLeases {
  readonly #leases: Leases;
  readonly #log: Logger;
  readonly #keepers: LeaseKeeper[] = [];

  constructor(leases: Leases, log: Logger) {
    this.#leases = leases;
    this.#log = log;
  }

  /** Keeps a lease of a name, once it is started; `onChange` is called when a term begins or ends. */
  keep(name: string, onChange?: () => void): LeaseKeeper {
    const keeper = new LeaseKeeper({ leases: this.#leases, name, log: this.#log, onChange });
    this.#keepers.push(keeper);
    return keeper;
  }

  /** Those that are held now. */
  list(): HeldLease[] {
    return this.#keepers.flatMap(({ name, term }) => (term === undefined ? [] : [{ name, term }]));
  }
}
