/** The client's error code for a request without a response. */
const CONNECTION_FAILED = 100;
/** The JSON-RPC error code of an unreachable node and of internal node errors. */
const NODE_FAILED = -32603;
const INTERNAL = 1;
const TOO_MANY_REQUESTS = 155;

/** Whether a request failed without a response from the server. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === "TimeoutError";
  // The server uses the same code for unreachable nodes, with its own messages.
  return (
    codeOf(error) === CONNECTION_FAILED &&
    !/^(chain "|the node of chain|The IPFS node)/.test(messageOf(error))
  );
}

/** Whether the same request may succeed later. */
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

/** Whether a node did not respond, as opposed to rejecting the request. */
export function isNodeConnectionError(error: unknown): boolean {
  return codeOf(error) === NODE_FAILED && /^(No response|Error response)/.test(messageOf(error));
}

/** Whether the server does not support the operation, such as pricing tokens without an exchange. */
export function isUnavailable(error: unknown): boolean {
  return codeOf(error) === 108;
}

/** Whether the permissions of a class do not allow the operation to the user, or only to signed-in ones. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === 119 || /^Permission denied, user needs to be authenticated/.test(messageOf(error));
}

/** Whether the server responded that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return codeOf(error) === 101;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : "";
}
