/**
 * A read of an index failed. `busy`: too many reads are pending, a retry may succeed soon; `timeout`: the read
 * exceeded its limits; `unavailable`: there are no reader threads or connections.
 */
export class IndexReadError extends Error {
  override readonly name = "IndexReadError";
  readonly reason: "busy" | "timeout" | "unavailable";

  constructor(reason: IndexReadError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Another index has taken the place of the one that was read: what was read can be of either, and is read again. */
export class IndexSwitchedError extends IndexReadError {
  constructor() {
    super("unavailable", "another index has taken its place");
  }
}

/**
 * The database of an index cannot be reached, or has closed the connection. The message has the reason, which contains
 * addresses and names of users: it is for the log only.
 */
export class IndexDatabaseError extends Error {
  override readonly name = "IndexDatabaseError";

  constructor(cause: unknown) {
    super(`${INDEX_DATABASE_UNAVAILABLE}: ${reasonOf(cause)}`, { cause });
  }
}

/** Tells clients that the database of an index cannot be reached. */
export const INDEX_DATABASE_UNAVAILABLE = "the database of the index is not available";

function reasonOf(cause: unknown): string {
  // One error for each address of a host.
  const [first] = cause instanceof AggregateError ? cause.errors : [];
  const error: unknown = first ?? cause;
  return error instanceof Error ? error.message : String(error);
}
