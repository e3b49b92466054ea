import type { StudioRequest } from "../studioApi/overview.ts";

/** Which requests are listed: all, those that were refused (status 400 to 499), or those that failed (500 and above). */
export type RequestKind = "all" | "refused" | "failed";

/** The last requests in memory, without their query strings, which may contain private data. */
export interface RequestHistory {
  record(request: StudioRequest): void;
  /** The last requests of a kind, newest first. */
  list(kind: RequestKind): StudioRequest[];
}

/** Requests of each kind that are kept: refused and failed ones are not displaced by others. */
const MAX_REQUESTS = 300;
const MAX_PATH_LENGTH = 300;

export function createRequestHistory(): RequestHistory {
  const kept: Record<RequestKind, StudioRequest[]> = { all: [], refused: [], failed: [] };

  function keep(kind: RequestKind, request: StudioRequest): void {
    const requests = kept[kind];
    requests.push(request);
    // Trims in larger steps, so that it does not happen with every request.
    if (requests.length > MAX_REQUESTS * 2) requests.splice(0, requests.length - MAX_REQUESTS);
  }

  return {
    record(request) {
      const short = { ...request, path: request.path.slice(0, MAX_PATH_LENGTH) };
      keep("all", short);
      if (request.status >= 500) keep("failed", short);
      else if (request.status >= 400) keep("refused", short);
    },
    list: (kind) => kept[kind].slice(-MAX_REQUESTS).reverse(),
  };
}
