// @vitest-environment happy-dom
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { FailedRead, type QueryResult, QueryState } from "./QueryState.tsx";

const NETWORK_ERROR = { code: 100, message: "XMLHttpRequest failed" };
const IDLE: QueryResult<string[]> = {
  data: undefined,
  error: null,
  isFetching: false,
  dataUpdatedAt: 0,
  refetch: () => undefined,
};

function render(query: Partial<QueryResult<string[]>>, renderError?: (error: unknown) => string): string {
  return renderToStaticMarkup(
    <QueryState query={{ ...IDLE, ...query }} label="Loading tokens" {...(renderError && { renderError })}>
      {(tokens) => (tokens.length === 0 ? "No tokens" : tokens.join(", "))}
    </QueryState>,
  );
}

describe("QueryState", () => {
  it("holds the place of data that is on its way", () => {
    const html = render({ isFetching: true });
    expect(html).toContain('aria-label="Loading tokens"');
    expect(html).not.toContain("No tokens");
  });

  it("shows data, and that there is none only where the read has succeeded", () => {
    expect(render({ data: ["PURSE"] })).toContain("PURSE");
    expect(render({ data: [] })).toContain("No tokens");
    expect(render({ error: NETWORK_ERROR })).not.toContain("No tokens");
  });

  it("shows why there is no data, with a way to try again that is busy while it is tried", () => {
    expect(render({ error: NETWORK_ERROR })).toMatch(/reach the server.*Try again/s);
    expect(render({ error: NETWORK_ERROR, isFetching: true })).toContain("aria-busy");
  });

  it("keeps the last data after a failure, with its age", () => {
    const html = render({ data: ["PURSE"], error: NETWORK_ERROR, dataUpdatedAt: Date.now() - 120_000 });
    expect(html).toContain("PURSE");
    expect(html).toMatch(/Last updated.*2 minutes ago.*Try again/s);
  });

  it("lets a page answer for errors that are answers", () => {
    const renderError = (error: unknown) => (error === NETWORK_ERROR ? "" : "No such block");
    expect(render({ error: { code: 101 } }, renderError)).toBe("No such block");
  });
});

describe("FailedRead", () => {
  it("says what could not be read, and nothing where it could", () => {
    const line = (query: Partial<QueryResult<string[]>>) =>
      renderToStaticMarkup(<FailedRead query={{ ...IDLE, ...query }}>No fee</FailedRead>);
    expect(line({ error: NETWORK_ERROR })).toMatch(/No fee.*Try again/s);
    expect(line({ error: NETWORK_ERROR, data: [] })).toBe("");
    expect(line({})).toBe("");
  });
});
