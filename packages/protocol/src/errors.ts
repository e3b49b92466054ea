/** Error codes of the Parse protocol, exported as a module so that bundlers can drop unused ones. */
export * as ErrorCode from "./errorCodes.ts";

/**
 * An error that is shown to clients: `code` and `message` are sent as `{code, error}`. `status` is the HTTP status of
 * the response; by default the API derives it from the code.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  declare readonly code: number;
  declare readonly status: number | undefined;

  constructor(code: number, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  toJSON(): { code: number; error: string | Record<string, unknown> } {
    return { code: this.code, error: this.message };
  }
}
