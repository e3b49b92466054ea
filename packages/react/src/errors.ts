/** The error type of the hooks. */
export interface CallError extends Error {
  /** The server's (101 …), the wallet's (4001: rejected by the user) or ethers' (`CALL_EXCEPTION`). */
  code?: number | string;
}

/**
 * Converts anything thrown to an error. Wallets also throw plain objects, and Moralis functions strings and lists of
 * strings: these become the message and the `cause`.
 */
export function errorOf(thrown: unknown): CallError {
  if (thrown instanceof Error) return thrown;
  const { message, code }: { message?: unknown; code?: unknown } = Object(thrown);
  const text =
    typeof message === "string" ? message : Array.isArray(thrown) ? thrown.join(", ") : String(thrown);
  const error: CallError = new ReactMoralisError(text, { cause: thrown });
  if (typeof code === "number" || typeof code === "string") error.code = code;
  return error;
}

/** An error of the React bindings. */
export class ReactMoralisError extends Error {
  override name = "ReactMoralisError";
}

export class NoMoralisContextProviderError extends ReactMoralisError {
  override name = "NoMoralisContextProviderError";
  constructor(message = "Make sure to only call useMoralis within a  <MoralisProvider>") {
    super(message);
  }
}

export class NotAuthenticatedError extends ReactMoralisError {
  override name = "NotAuthenticatedError";
}

export class ValidationError extends ReactMoralisError {
  override name = "ValidationError";
}
