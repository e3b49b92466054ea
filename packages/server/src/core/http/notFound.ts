import { ErrorCode } from "@purse/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendReply } from "./reply.ts";
import { requestTarget } from "./requestTarget.ts";

/** Sends a reply for paths at which there is nothing. Pages of any origin may read it. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const { path } = requestTarget(request);
  sendReply(reply, {
    status: 404,
    body: JSON.stringify({ code: ErrorCode.OBJECT_NOT_FOUND, error: `Not found: ${path.slice(0, 200)}` }),
    headers: { "access-control-allow-origin": "*" },
  });
}
