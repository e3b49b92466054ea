/** The node cannot be reached or its response is not JSON-RPC. A retry may succeed. */
export class RpcUnreachableError extends Error {
  override readonly name: string = "RpcUnreachableError";
}

/** The response exceeds the size limit. A retry fails in the same way; a smaller request may succeed. */
export class RpcResponseTooLargeError extends RpcUnreachableError {
  override readonly name = "RpcResponseTooLargeError";
}

/** The node returned impossible data, for example another chain's id or logs of a block that was not requested. */
export class InvalidNodeDataError extends Error {
  override readonly name = "InvalidNodeDataError";
}

/** A JSON-RPC error of a node. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  /** Revert data of a contract in hex, if the node returns it. */
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Whether an error is about the node or its response, and not a fault of this program. */
export function isNodeError(error: unknown): error is RpcError | InvalidNodeDataError | RpcUnreachableError {
  return (
    error instanceof RpcError || error instanceof InvalidNodeDataError || error instanceof RpcUnreachableError
  );
}

/** Error messages of EVM failures (Geth, Erigon, Nethermind, Besu, Anvil); 3 is Geth's code for reverts. */
const CONTRACT_ERROR =
  /revert|EVM error|VM execution error|out of gas|invalid opcode|invalid jump|stack (under|over)flow|bad instruction/i;

/** Whether the contract failed, not the node. */
export function isContractError({ code, message }: RpcError): boolean {
  return code === 3 || CONTRACT_ERROR.test(message);
}
