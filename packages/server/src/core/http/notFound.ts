import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestTarget } from "./requestTarget.ts";

/** Sends a reply for paths at which there is nothing. Pages of any origin may read it. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const { path } = requestTarget(request);
  reply.header("access-control-allow-origin", "*");
  reply.send(new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `Not found: ${path.slice(0, 200)}`, 404));
}
