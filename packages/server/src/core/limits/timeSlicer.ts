import { currentScope } from "./requestScope.ts";
import { RoundRobin } from "./roundRobin.ts";

/** How long divided work may hold up the event loop in one turn, in ms: that of all requests together. */
const TURN_MS = 10;
/** How long work may last that begins in a turn whose time is used up, in ms: most work is over by then. */
const SHORT_MS = 1;
/** How long such work may take in one turn in all, in ms. */
const MAX_SHORT_MS = 10;

/** When the time for divided work is used up in this turn of the event loop; undefined before there is any. */
let endOfTurn: number | undefined;
/** Work that has paused, by sender. */
const paused = new RoundRobin<() => void>();
let isScheduled = false;

/**
 * Divides long work into time slices: `pause` yields to the event loop when a slice has expired. Work that has paused
 * continues one after the other, a slice in each turn of the event loop, and senders are served in turn.
 */
export class TimeSlicer {
  readonly #sender: string;
  #end: number;

  /** `sender` is that of the current request by default. */
  constructor(sender = currentScope()?.group ?? "") {
    this.#sender = sender;
    const end = startTurn();
    const now = performance.now();
    this.#end = now < end + MAX_SHORT_MS ? Math.max(end, now + SHORT_MS) : now;
  }

  /** Whether to pause, before the work begins or continues: much other work may have begun in the same turn. */
  get isExpired(): boolean {
    return performance.now() >= this.#end;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resume) => {
      paused.add(resume, { key: this.#sender });
      schedule();
    });
    this.#end = startTurn();
  }
}

/**
 * Whether work has to wait for a turn of its own that is too short to be divided, but of which there may be much. It has to
 * begin at once if not.
 */
export function isTurnUsedUp(): boolean {
  return new TimeSlicer("").isExpired;
}

/** Resolves in a turn that no other divided work shares. */
export function ownTurn(sender?: string): Promise<void> {
  return new TimeSlicer(sender).pause();
}

/** Returns when the time of this turn is used up. */
function startTurn(): number {
  if (endOfTurn !== undefined) return endOfTurn;
  endOfTurn = performance.now() + TURN_MS;
  setImmediate(() => {
    endOfTurn = undefined;
  });
  return endOfTurn;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    endOfTurn = undefined;
    paused.take()?.();
    if (!paused.isEmpty) schedule();
  });
}
