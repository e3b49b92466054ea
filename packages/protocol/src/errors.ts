/** Error codes of the Parse protocol, exported as a module so that bundlers can drop unused ones. */
export * as ErrorCode from "./errorCodes.ts";

/** What an error tells clients: a text, or an object, which cloud code may throw in its place. */
export type ErrorContent = string | Readonly<Record<string, unknown>>;

/**
 * An error that is shown to clients: `code` and `message` are sent as `{code, error}`. `status` is the HTTP status of
 * the response; by default the API derives it from the code. An object is sent as it is, and `message` is its JSON.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  declare readonly code: number;
  declare readonly status: number | undefined;
  readonly #object?: Readonly<Record<string, unknown>>;

  constructor(code: number, message: ErrorContent, status?: number) {
    super(typeof message === "object" ? JSON.stringify(message) : message);
    if (typeof message === "object") this.#object = message;
    this.code = code;
    this.status = status;
  }

  /** What is sent: `error` is the object that the error was made of, otherwise the message. */
  toJSON(): { code: number; error: ErrorContent } {
    return { code: this.code, error: this.#object ?? this.message };
  }
}
