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
