import { ErrorCode, ProtocolError } from "@purse/protocol";

/** What a request lacks, or has a wrong value of. */
export type RefusedCredential = "applicationId" | "clientKey" | "masterKey";

/** The error 119 of a request without the right id or key. Its message does not tell clients which of them. */
export class UnauthorizedError extends ProtocolError {
  readonly refused: RefusedCredential;

  constructor(refused: RefusedCredential) {
    super(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
    this.refused = refused;
  }
}
