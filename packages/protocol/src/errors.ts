/** Error codes of the Parse protocol; as a module, so that a page carries only those that it uses. */
export * as ErrorCode from "./errorCodes.ts";

/**
 * An error that a client may see: `code` and `message` travel as `{code, error}`.
 * `status` is the HTTP status of the answer; without one the door chooses by code.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly status: number | undefined;

  constructor(code: number, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }

  toJSON(): { code: number; error: string } {
    return { code: this.code, error: this.message };
  }
}
