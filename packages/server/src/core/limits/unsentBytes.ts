/** Where bytes wait until a client reads them: a connection, or a socket inside of the process. */
export interface Receiver {
  /** Bytes that the client has not taken yet. */
  unsentBytes(): number;
  /** Ends the connection at once, so that nothing is kept for it. */
  end(): void;
}

export interface UnsentBytesOptions {
  /** Bytes that may wait for all clients together. One address may have half of them. */
  maxBytes: number;
  /** Monotonic time in ms. */
  clock?(): number;
  /** Called after receivers have been ended. */
  onEnded?(event: { address: string; receivers: number; bytes: number }): void;
}

/** The share of the bytes that one address may have. */
const ADDRESS_SHARE = 1 / 2;
/** Receivers are ended until this part of the limit is left, so that it does not happen with each message. */
const REMAINING_SHARE = 3 / 4;
/** How much the known bytes must grow, as a part of the limit, before all receivers are asked again. */
const REFRESH_SHARE = 1 / 32;
/** How often all receivers are asked, in ms: not every write reports itself. */
const SWEEP_MS = 200;

/** What is known of the receivers of one address, or of all. */
interface Totals {
  bytes: number;
  /** The bytes when its receivers were last asked. */
  refreshedBytes: number;
}

interface AddressTotals extends Totals {
  entries: Set<UnsentEntry>;
}

/**
 * Limits the bytes that wait to be sent: of responses, events and everything else that clients do not read. Beyond the limit,
 * the receivers are ended that have kept the most bytes for the longest time without reading any; first those of an address
 * that exceeds its share. A response that has just begun is therefore kept.
 */
export class UnsentBytes {
  readonly #options: UnsentBytesOptions;
  readonly #clock: () => number;
  readonly #entries = new Set<UnsentEntry>();
  readonly #byConnection = new WeakMap<object, UnsentEntry>();
  readonly #addresses = new Map<string, AddressTotals>();
  readonly #total: Totals = { bytes: 0, refreshedBytes: 0 };
  #sweepTimer: NodeJS.Timeout | undefined;
  #endedReceivers = 0;

  constructor(options: UnsentBytesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** What waits, as far as it is known. */
  get bytes(): number {
    return this.#total.bytes;
  }

  /** How many receivers have been ended. */
  get endedReceivers(): number {
    return this.#endedReceivers;
  }

  /** Adds a receiver, which `entryOf` finds by its connection. */
  open(receiver: Receiver, address: string, connection?: object): UnsentEntry {
    const entry: UnsentEntry = {
      receiver,
      address,
      bytes: 0,
      waitsSince: 0,
      update: () => this.#update(entry),
      setAddress: (next) => this.#setAddress(entry, next),
      close: () => this.#close(entry),
    };
    this.#entries.add(entry);
    if (connection) this.#byConnection.set(connection, entry);
    this.#totalsOf(address).entries.add(entry);
    this.#sweepTimer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return entry;
  }

  entryOf(connection: object): UnsentEntry | undefined {
    return this.#byConnection.get(connection);
  }

  #sweep(): void {
    for (const entry of this.#entries) this.#update(entry);
  }

  #update(entry: UnsentEntry): void {
    const bytes = entry.receiver.unsentBytes();
    if (bytes === entry.bytes || !this.#entries.has(entry)) return;
    const totals = this.#totalsOf(entry.address);
    this.#add(entry, totals, bytes - entry.bytes);
    const { maxBytes } = this.#options;
    this.#limit(totals, maxBytes * ADDRESS_SHARE, () => totals);
    this.#limit(this.#total, maxBytes, () => this.#largestAddress());
  }

  #add(entry: UnsentEntry, totals: Totals, bytes: number): void {
    if (bytes < 0 || entry.bytes === 0) entry.waitsSince = this.#clock();
    entry.bytes += bytes;
    totals.bytes += bytes;
    this.#total.bytes += bytes;
  }

  /** Ends receivers if the bytes exceed a limit although all receivers have been asked. */
  #limit(totals: Totals, maxBytes: number, largest: () => AddressTotals | undefined): void {
    if (totals.bytes <= maxBytes) {
      totals.refreshedBytes = Math.min(totals.refreshedBytes, totals.bytes);
      return;
    }
    if (totals.bytes - totals.refreshedBytes < maxBytes * REFRESH_SHARE) return;
    const entries = totals === this.#total ? this.#entries : (largest()?.entries ?? []);
    for (const entry of entries)
      this.#add(entry, this.#totalsOf(entry.address), entry.receiver.unsentBytes() - entry.bytes);
    totals.refreshedBytes = totals.bytes;
    if (totals.bytes <= maxBytes) return;
    while (totals.bytes > maxBytes * REMAINING_SHARE) {
      const tooMuch = totals.bytes - maxBytes * REMAINING_SHARE;
      if (!this.#endSlowest(largest(), tooMuch)) break;
    }
    totals.refreshedBytes = totals.bytes;
  }

  /** Ends the slowest receivers of an address until this many bytes are free. */
  #endSlowest(totals: AddressTotals | undefined, tooMuch: number): boolean {
    const now = this.#clock();
    const slowness = ({ bytes, waitsSince }: UnsentEntry) => bytes * (now - waitsSince);
    const slowest = [...(totals?.entries ?? [])]
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => slowness(b) - slowness(a) || b.bytes - a.bytes);
    let bytes = 0;
    let receivers = 0;
    for (const entry of slowest) {
      if (bytes >= tooMuch) break;
      bytes += entry.bytes;
      receivers += 1;
      this.#close(entry);
      entry.receiver.end();
    }
    this.#endedReceivers += receivers;
    const [first] = slowest;
    if (first) this.#options.onEnded?.({ address: first.address, receivers, bytes });
    return first !== undefined;
  }

  #largestAddress(): AddressTotals | undefined {
    let largest: AddressTotals | undefined;
    for (const each of this.#addresses.values()) if (!largest || each.bytes > largest.bytes) largest = each;
    return largest;
  }

  #setAddress(entry: UnsentEntry, address: string): void {
    if (entry.address === address || !this.#entries.has(entry)) return;
    const { bytes } = entry;
    this.#close(entry);
    entry.address = address;
    this.#entries.add(entry);
    const totals = this.#totalsOf(address);
    totals.entries.add(entry);
    this.#add(entry, totals, bytes);
  }

  #close(entry: UnsentEntry): void {
    if (!this.#entries.delete(entry)) return;
    const totals = this.#totalsOf(entry.address);
    totals.entries.delete(entry);
    this.#add(entry, totals, -entry.bytes);
    if (totals.entries.size === 0) this.#addresses.delete(entry.address);
    if (this.#entries.size > 0) return;
    clearInterval(this.#sweepTimer);
    this.#sweepTimer = undefined;
  }

  #totalsOf(address: string): AddressTotals {
    const known = this.#addresses.get(address);
    if (known) return known;
    const totals: AddressTotals = { bytes: 0, refreshedBytes: 0, entries: new Set() };
    this.#addresses.set(address, totals);
    return totals;
  }
}

/** A receiver as it is counted. */
export interface UnsentEntry {
  readonly receiver: Receiver;
  address: string;
  bytes: number;
  /** When bytes began to wait for it, or when it last read some of them. */
  waitsSince: number;
  /** Counts what waits for it, after something was sent to it. */
  update(): void;
  setAddress(address: string): void;
  close(): void;
}
