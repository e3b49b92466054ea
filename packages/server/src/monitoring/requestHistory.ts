import type { StudioRequest } from "../studioApi/overview.ts";

/** Which requests are listed: all, those that were refused (status 400 to 499), or those that failed (500 and above). */
export type RequestKind = "all" | "refused" | "failed";

/** A request of the list, with its time in ms since the epoch: most are never listed. */
type RecordedRequest = Omit<StudioRequest, "at"> & { at: number };

/** The last requests in memory, without their query strings, which may contain private data. */
export interface RequestHistory {
  record(request: RecordedRequest): void;
  /** The last requests of a kind, newest first. */
  list(kind: RequestKind): StudioRequest[];
}

/** Requests of each kind that are kept: refused and failed ones are not displaced by others. */
const MAX_REQUESTS = 300;
const MAX_PATH_LENGTH = 300;

export function createRequestHistory(): RequestHistory {
  const kept: Record<RequestKind, RecordedRequest[]> = { all: [], refused: [], failed: [] };

  function keep(kind: RequestKind, request: RecordedRequest): void {
    const requests = kept[kind];
    requests.push(request);
    // Trims in larger steps, so that it does not happen with every request.
    if (requests.length > MAX_REQUESTS * 2) requests.splice(0, requests.length - MAX_REQUESTS);
  }

  return {
    record(request) {
      const { path, status } = request;
      const short =
        path.length > MAX_PATH_LENGTH ? { ...request, path: path.slice(0, MAX_PATH_LENGTH) } : request;
      keep("all", short);
      if (status >= 500) keep("failed", short);
      else if (status >= 400) keep("refused", short);
    },
    list: (kind) =>
      kept[kind]
        .slice(-MAX_REQUESTS)
        .reverse()
        .map((request) => ({ ...request, at: new Date(request.at).toISOString() })),
  };
}
