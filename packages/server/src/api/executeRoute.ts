import type { JsonValue } from "@purse/protocol";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { actionOf, readOnlyKeyError } from "../core/http/masterKeyAccess.ts";
import { ValueReply } from "../core/http/valueReply.ts";
import { answerChunks, chargeValues } from "../core/limits/answerText.ts";
import { currentAnswer } from "../core/limits/requestScope.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { ParseRoute } from "./parseRoute.ts";

/** Calls the handler of a route, with what its client may take. Throws 119 for writes with the read-only master key. */
export async function executeRoute(
  match: { route: ParseRoute },
  request: WriteRequest,
  maxAnswerBytes: number,
): Promise<ApiReply> {
  const { auth, method } = request;
  // The read-only master key may only send GET requests.
  if (auth.kind === "master" && auth.readOnly && method !== "GET") throw readOnlyKeyError(actionOf(request));
  const result = await match.route.handle(request);
  if (isReply(result)) return result;
  const answer = currentAnswer(maxAnswerBytes);
  if (request.wantsValue) return new ValueReply(result, await chargeValues([result], answer));
  return chunkedReply(await answerChunks(result, answer));
}

function isReply(result: ApiReply | JsonValue): result is ApiReply {
  if (result instanceof ValueReply) return true;
  return (
    typeof result === "object" &&
    result !== null &&
    "status" in result &&
    "body" in result &&
    typeof result.status === "number" &&
    // Reading the body of a chunked reply would join its chunks.
    ("chunks" in result || typeof result.body === "string")
  );
}
