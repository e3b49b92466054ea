/** How often the database is asked about a session whose response is awaited, in ms. */
const LOOK_MS = 5_000;
/** The same at first: most statements take milliseconds, and another process may have to take over. */
const FIRST_LOOK_MS = 1_000;
/** How often in a row a session must have had nothing to do in between: its response may be on the way. */
const IDLE_LOOKS = 2;

export interface SessionWatchOptions {
  /**
   * `active`, or another state of the session in `pg_stat_activity` with the time since when, by another connection; undefined
   * if there is no such session.
   */
  ask(): Promise<string | undefined>;
  /** Breaks the connection; statements that are pending fail with the error. */
  destroy(error: Error): void;
}

/**
 * Breaks a connection whose session has finished its statement, or has ended, although no response has arrived. Packets of
 * a connection can be lost for good without an error, for example after a router has forgotten it; a deadline alone would
 * have to be longer than the longest statement. Returns a function that ends the watch.
 */
export function watchSession({ ask, destroy }: SessionWatchOptions): () => void {
  let looks = 0;
  let idleLooks = 0;
  let lastState: string | undefined;
  let isEnded = false;
  let timer: NodeJS.Timeout;
  const lookLater = () => {
    timer = setTimeout(look, looks < IDLE_LOOKS ? FIRST_LOOK_MS : LOOK_MS).unref();
  };
  async function look(): Promise<void> {
    looks += 1;
    try {
      const state = await ask();
      // A process that has little time leaves its session idle now and then, between its statements.
      if (state !== lastState) idleLooks = 0;
      lastState = state;
      idleLooks = state === "active" ? 0 : idleLooks + 1;
    } catch {
      // A database that cannot be asked says nothing about the session.
      idleLooks = 0;
    }
    if (isEnded) return;
    if (idleLooks < IDLE_LOOKS) return lookLater();
    destroy(new Error("Connection terminated: the response to a finished statement was lost"));
  }
  lookLater();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
