import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { cursorToOffset, offsetToCursor } from "graphql-relay";

/** The arguments of a connection. */
export interface PageArguments {
  skip?: number | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

export interface Page {
  skip: number;
  /** Undefined for the server's default. */
  limit: number | undefined;
  /** Whether the page is at the end: objects have to be counted first. */
  isAtEnd: boolean;
}

function invalid(text: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, text);
}

function offsetOf(cursor: string, name: string): number {
  const offset = cursorToOffset(cursor);
  if (Number.isNaN(offset) || offset < 0) throw invalid(`${name} is not a valid cursor`);
  return offset;
}

/** Computes which objects of a connection are requested, with the rules of Parse Server. Throws 102. */
export function pageOf(page: PageArguments, maxLimit: number | undefined): Page {
  for (const name of ["skip", "first", "last"] as const) {
    const label = name.charAt(0).toUpperCase() + name.slice(1);
    if ((page[name] ?? 0) < 0) throw invalid(`${label} should be a positive number`);
  }
  let skip = page.skip ?? 0;
  let limit = page.first ?? undefined;
  if (page.after) skip += offsetOf(page.after, "After") + 1;
  if (page.before) {
    const before = offsetOf(page.before, "Before");
    if (skip >= before) limit = 0;
    else if (limit === undefined || skip + limit > before) limit = before - skip;
  }
  if (typeof page.last !== "number") return { skip, limit, isAtEnd: false };
  const last = Math.min(page.last, maxLimit ?? Number.POSITIVE_INFINITY);
  if (limit === undefined) return { skip, limit: last, isAtEnd: last > 0 };
  if (last < limit) {
    skip += limit - last;
    limit = last;
  }
  return { skip, limit, isAtEnd: false };
}

export interface Connection {
  edges: { cursor: string; node: JsonObject }[] | null;
  pageInfo: {
    hasPreviousPage: boolean;
    hasNextPage: boolean;
    startCursor: string;
    endCursor: string;
  } | null;
  count: number | undefined;
}

/** The connection of a page of objects; `count` is the number of all. */
export function connectionOf(
  results: readonly JsonObject[] | undefined,
  skip: number,
  count: number | undefined,
): Connection {
  if (!results) return { edges: null, pageInfo: null, count };
  return {
    edges: results.map((node, index) => ({ cursor: offsetToCursor(skip + index), node })),
    pageInfo: {
      hasPreviousPage: (count ?? 0) > 0 && skip > 0,
      hasNextPage: (count ?? 0) > skip + results.length,
      startCursor: offsetToCursor(skip),
      endCursor: offsetToCursor(skip + (results.length || 1) - 1),
    },
    count,
  };
}
