/** What went wrong, as hooks tell it. */
export interface CallError extends Error {
  /** The server's (101 …), the wallet's (4001: declined) or ethers' (`CALL_EXCEPTION`). */
  code?: number | string;
}

/**
 * What was thrown, as an error. Wallets throw plain objects too, and old functions texts and lists of texts: these
 * become the message, and stay the `cause`.
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

/** What went wrong in the React bindings; `name` is the class's own. */
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
