import { offsetToCursor } from "graphql-relay";
import { describe, expect, it } from "vitest";
import { connectionOf, type PageArguments, pageOf } from "./pagination.ts";

const cursor = offsetToCursor;

describe("the objects of a page", () => {
  it.each<[PageArguments, number, number | undefined]>([
    [{}, 0, undefined],
    [{ first: 10 }, 0, 10],
    [{ first: 0 }, 0, 0],
    [{ skip: 5, first: 10 }, 5, 10],
    [{ after: cursor(9), first: 10 }, 10, 10],
    [{ after: cursor(9), skip: 2 }, 12, undefined],
    [{ before: cursor(5) }, 0, 5],
    [{ before: cursor(5), first: 3 }, 0, 3],
    [{ after: cursor(1), before: cursor(5), first: 10 }, 2, 3],
    [{ after: cursor(9), before: cursor(5) }, 10, 0],
    [{ first: 10, last: 3 }, 7, 3],
    [{ first: 2, last: 3 }, 0, 2],
  ])("of %j begin at %i and are %s", (page, skip, limit) => {
    expect(pageOf(page, undefined)).toEqual({ skip, limit, isAtEnd: false });
  });

  it("are the last ones if nothing else is asked for, at most as many as allowed", () => {
    expect(pageOf({ last: 500 }, 100)).toEqual({ skip: 0, limit: 100, isAtEnd: true });
  });

  it.each<[PageArguments, string]>([
    [{ first: -1 }, "First should be a positive number"],
    [{ skip: -1 }, "Skip should be a positive number"],
    [{ after: "x" }, "After is not a valid cursor"],
    [{ before: cursor(-1) }, "Before is not a valid cursor"],
  ])("of %j are refused with 102: %s", (page, message) => {
    expect(() => pageOf(page, undefined)).toThrow(expect.objectContaining({ code: 102, message }));
  });
});

describe("a connection", () => {
  it("has a cursor for each object, and says whether there are more on both sides", () => {
    const { edges, pageInfo } = connectionOf([{ n: 1 }, { n: 2 }], 5, 10);
    expect(edges?.map((edge) => edge.cursor)).toEqual([cursor(5), cursor(6)]);
    expect(pageInfo).toEqual({
      hasPreviousPage: true,
      hasNextPage: true,
      startCursor: cursor(5),
      endCursor: cursor(6),
    });
  });

  it("has no next page at its end", () => {
    expect(connectionOf([{ n: 1 }], 0, 1).pageInfo).toMatchObject({
      hasPreviousPage: false,
      hasNextPage: false,
    });
  });

  it("has no objects if only their number is asked for", () => {
    expect(connectionOf(undefined, 0, 3)).toEqual({ edges: null, pageInfo: null, count: 3 });
  });
});
