/** How often the state of a session whose response is awaited is queried, in ms. */
const POLL_MS = 5_000;
/** The same at first: most statements take milliseconds, and another process may have to take over. */
const FIRST_POLL_MS = 1_000;
/** How often in a row a session must have had nothing to do in between: its response may be on the way. */
const IDLE_POLLS = 2;

export interface SessionWatchOptions {
  /**
   * `active`, or another state of the session in `pg_stat_activity` with the time since when, by another connection; undefined
   * if there is no such session.
   */
  readState(): Promise<string | undefined>;
  /** Breaks the connection; statements that are pending fail with the error. */
  destroy(error: Error): void;
}

/**
 * Breaks a connection whose session has finished its statement, or has ended, although no response has arrived. Packets of
 * a connection can be lost for good without an error, for example after a router has forgotten it; a deadline alone would
 * have to be longer than the longest statement. Returns a function that ends the watch.
 */
export function watchSession({ readState, destroy }: SessionWatchOptions): () => void {
  let polls = 0;
  let idlePolls = 0;
  let lastState: string | undefined;
  let isEnded = false;
  let timer: NodeJS.Timeout;
  const pollLater = () => {
    timer = setTimeout(poll, polls < IDLE_POLLS ? FIRST_POLL_MS : POLL_MS).unref();
  };
  async function poll(): Promise<void> {
    polls += 1;
    try {
      const state = await readState();
      // A process that has little time leaves its session idle now and then, between its statements.
      if (state !== lastState) idlePolls = 0;
      lastState = state;
      idlePolls = state === "active" ? 0 : idlePolls + 1;
    } catch {
      // A database that does not respond says nothing about the session.
      idlePolls = 0;
    }
    if (isEnded) return;
    if (idlePolls < IDLE_POLLS) return pollLater();
    destroy(new Error("Connection terminated: the response to a finished statement was lost"));
  }
  pollLater();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
