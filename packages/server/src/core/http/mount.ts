import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { sendNotFound } from "./notFound.ts";
import { targetBelow } from "./requestTarget.ts";

/** Handles all requests below a path, which are not decoded. */
export function mount(
  app: FastifyInstance,
  mountPath: string,
  options: Pick<RouteOptions, "method" | "config">,
  handle: (reply: FastifyReply, path: string, search: string) => void,
): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    const target = targetBelow(request, mountPath);
    if (!target) return sendNotFound(request, reply);
    handle(reply, target.path, target.search);
  };
  for (const url of [mountPath, `${mountPath}/*`]) app.route({ ...options, url, handler });
}
