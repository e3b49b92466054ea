import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { errorReply } from "../core/http/reply.ts";
import { responseTooLarge } from "../core/limits/answerSize.ts";
import { currentScope } from "../core/limits/requestScope.ts";

/**
 * Charges the response of a write to the answer of its request. Throws 116 if it does not fit beside those of others, such
 * as of the same batch; the object has been saved nevertheless.
 */
export function chargeSaved(text: string): string {
  const answer = currentScope()?.answer;
  if (!answer) return text;
  if (text.length <= answer.bytesLeft) answer.charge(text.length);
  else if (!answer.isEmpty) {
    throw new ProtocolError(
      ErrorCode.OBJECT_TOO_LARGE,
      "The object was saved, but the response would be too large: save fewer objects at a time",
    );
  }
  return text;
}

/** The reply for an error of one request of a batch, charged to the answer of the batch. */
export function chargedErrorReply(error: unknown, report: (error: unknown) => void): ApiReply {
  const reply = errorReply(error, report);
  const answer = currentScope()?.answer;
  if (!answer) return reply;
  if (reply.body.length > answer.bytesLeft) return errorReply(responseTooLarge(answer.maxBytes), report);
  answer.charge(reply.body.length);
  return reply;
}
