/** The code of a request that had no answer: the client's and the studio's. */
const CONNECTION_FAILED = 100;
/** The code of a node that had no answer, and of what goes wrong inside of one. */
const NODE_FAILED = -32603;
const INTERNAL = 1;
const TOO_MANY_REQUESTS = 155;

/** Whether a read has failed because no answer came, not because of what the answer was. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === "TimeoutError";
  // Refusals of the server have the code too, with words of its own.
  return (
    codeOf(error) === CONNECTION_FAILED &&
    !/^(chain "|the node of chain|The IPFS node)/.test(messageOf(error))
  );
}

/** Whether the same read may succeed later without anybody changing anything. */
export function isTransientError(error: unknown): boolean {
  const code = codeOf(error);
  return (
    isConnectionError(error) ||
    code === CONNECTION_FAILED ||
    isNodeConnectionError(error) ||
    code === INTERNAL ||
    code === TOO_MANY_REQUESTS
  );
}

/** Whether a node has not answered, as opposed to having refused what it was asked for. */
export function isNodeConnectionError(error: unknown): boolean {
  return codeOf(error) === NODE_FAILED && /^(No response|Error response)/.test(messageOf(error));
}

/** Whether the server has answered that it has no way to do it, as to price tokens without knowing an exchange. */
export function isUnavailable(error: unknown): boolean {
  return codeOf(error) === 108;
}

/** Whether the server has answered that there is no such thing: an answer, not a failure. */
export function isNotFound(error: unknown): boolean {
  return codeOf(error) === 101;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : "";
}
