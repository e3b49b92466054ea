import type { FastifyRequest } from "fastify";

/** The target of a request: its path, as it was sent, and its query string. */
export interface RequestTarget {
  path: string;
  search: string;
}

/** Splits the URL of a request. Nothing is decoded. */
export function requestTarget({ raw: { url = "/" } }: FastifyRequest): RequestTarget {
  const queryStart = url.indexOf("?");
  return queryStart < 0
    ? { path: url, search: "" }
    : { path: url.slice(0, queryStart), search: url.slice(queryStart + 1) };
}

/**
 * The target below a mount path. Undefined if the mount path was sent in another spelling, such as `/%73erver`, which
 * Fastify finds but rate limits do not.
 */
export function targetBelow(request: FastifyRequest, mountPath: string): RequestTarget | undefined {
  const { path, search } = requestTarget(request);
  if (!path.startsWith(mountPath)) return undefined;
  const subPath = path.slice(mountPath.length);
  if (subPath !== "" && !subPath.startsWith("/")) return undefined;
  return { path: subPath === "" ? "/" : subPath, search };
}
