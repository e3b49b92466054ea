import { ProtocolError } from "@purse/protocol";

/** The work of a request had begun and was interrupted, or goes on: it is unknown what it has done. */
export class OutcomeUnknownError extends ProtocolError {}
