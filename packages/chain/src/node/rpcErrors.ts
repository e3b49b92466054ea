/** A node that cannot be reached, or whose answer is no JSON-RPC. Another try may succeed. */
export class RpcUnreachable extends Error {
  override readonly name: string = "RpcUnreachable";
}

/** An answer larger than is read: another try brings the same, a smaller question may not. */
export class RpcTooLarge extends RpcUnreachable {
  override readonly name = "RpcTooLarge";
}

/** A node that tells what cannot be: another chain's id, a log of a block that was not asked for. */
export class LyingNode extends Error {
  override readonly name = "LyingNode";
}

/** What a node answers instead of a result. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  /** What a contract has failed with, hex, where the node tells. */
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
