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
  override readonly name: string = "InvalidNodeDataError";
}

/** The node has another block in the place of one that is final in the index. */
export class OtherChainError extends InvalidNodeDataError {
  constructor(block: number, remark = "the setting RESETS of the chain allows the latter") {
    super(
      `the node has another block ${block} than the index, and that block is final: it belongs to another chain, or its chain was started anew (${remark})`,
    );
  }
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

/** Whether a node does not have a method, or not for this client: with code -32601 (JSON-RPC 2.0) or only in the message. */
export function isUnsupportedMethod({ code, message }: RpcError): boolean {
  return (
    code === -32_601 ||
    /method.*(not (found|supported|available|exist|allowed|whitelisted|enabled)|unsupported|disabled)/i.test(
      message,
    )
  );
}

/** Whether the node refuses requests for a while; the same one succeeds later. */
export function isRateLimit(error: Error): boolean {
  if (error instanceof RpcUnreachableError) return / HTTP (401|403|429)\b/.test(error.message);
  if (!(error instanceof RpcError) || isContractError(error)) return false;
  return (
    [429, -32_005].includes(error.code) ||
    /\brate\b|rate.?limit|too many requests|capacity|quota|credits/i.test(error.message)
  );
}

/** Error messages of nodes that do not have a block or the state after it (Geth, Erigon, Nethermind, Besu). */
const MISSING_DATA =
  /missing trie node|(block|header|receipts?|state|history|data)\b.*\b(not (found|available)|unavailable|pruned|unknown)|unknown block|pruned/i;

/** Whether another node may have what this one does not have. */
export function mayBeElsewhere(error: RpcError): boolean {
  return !isContractError(error) && (isUnsupportedMethod(error) || MISSING_DATA.test(error.message));
}
