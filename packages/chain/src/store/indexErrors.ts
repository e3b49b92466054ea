/**
 * Why a read of an index was not answered. `busy`: too much is being read already, another try soon may succeed; `late`: it
 * took longer than one read may take; `down`: the threads or connections that read are not there.
 */
export class IndexReadError extends Error {
  override readonly name = "IndexReadError";
  readonly reason: "busy" | "late" | "down";

  constructor(reason: IndexReadError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}
