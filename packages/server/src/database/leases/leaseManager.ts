import type { Logger } from "../../core/logger.ts";
import type { Leases } from "../lease.ts";
import { LeaseHolder } from "./leaseHolder.ts";

/** A lease that this process holds, with the number of its current term. */
export interface HeldLease {
  name: string;
  term: number;
}

/** Manages the leases that this process competes for. */
export class LeaseManager {
  readonly #leases: Leases;
  readonly #logger: Logger;
  readonly #holders: LeaseHolder[] = [];

  constructor(leases: Leases, logger: Logger) {
    this.#leases = leases;
    this.#logger = logger;
  }

  /** Creates the holder of a lease, which has to be started; `onChange` is called when a term begins or ends. */
  createHolder(name: string, onChange?: () => void): LeaseHolder {
    const holder = new LeaseHolder({ leases: this.#leases, name, logger: this.#logger, onChange });
    this.#holders.push(holder);
    return holder;
  }

  /** The leases that this process holds now. */
  list(): HeldLease[] {
    return this.#holders.flatMap(({ name, term }) => (term === undefined ? [] : [{ name, term }]));
  }

  /** The leases that this process competes for, and whether it holds them now. */
  standings(): { name: string; isHeld: boolean }[] {
    return this.#holders.map(({ name, term }) => ({ name, isHeld: term !== undefined }));
  }
}
