import type { IncomingMessage } from "node:http";
import type { FastifyReply } from "fastify";
import { RequestScope, type RequestScopeOptions, runInScope } from "../limits/requestScope.ts";
import { addressKey } from "./address.ts";
import type { ApiReply } from "./apiRoute.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import { respond } from "./reply.ts";

/** Responds to a request. */
export type RespondInScope = (
  reply: FastifyReply,
  handle: (message: IncomingMessage) => Promise<ApiReply>,
) => void;

/** Creates a function that responds within the limits of what is read for one response. */
export function createRespondInScope(
  clientAddressOf: ClientAddressOf,
  limits: Pick<RequestScopeOptions, "budget" | "maxAnswerBytes">,
): RespondInScope {
  return (reply, handle) => {
    const { raw: message } = reply.request;
    const response = reply.raw;
    const scope = new RequestScope({ group: addressKey(clientAddressOf(message)), ...limits });
    response.once("close", () => scope.close(response.writableFinished));
    runInScope(scope, () => respond(reply, handle(message)));
  };
}
