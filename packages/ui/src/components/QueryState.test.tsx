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
  it("shows a placeholder while the data loads", () => {
    const html = render({ isFetching: true });
    expect(html).toContain('aria-label="Loading tokens"');
    expect(html).not.toContain("No tokens");
  });

  it("shows data, and the empty state only after a successful read", () => {
    expect(render({ data: ["PURSE"] })).toContain("PURSE");
    expect(render({ data: [] })).toContain("No tokens");
    expect(render({ error: NETWORK_ERROR })).not.toContain("No tokens");
  });

  it("shows why there is no data, with a retry button that is busy during the retry", () => {
    expect(render({ error: NETWORK_ERROR })).toMatch(/reach the server.*Try again/s);
    expect(render({ error: NETWORK_ERROR, isFetching: true })).toContain("aria-busy");
  });

  it("keeps the last data after a failure, with its age", () => {
    const html = render({ data: ["PURSE"], error: NETWORK_ERROR, dataUpdatedAt: Date.now() - 120_000 });
    expect(html).toContain("PURSE");
    expect(html).toMatch(/Last updated.*2 minutes ago.*Try again/s);
  });

  it("lets a page render certain errors as content", () => {
    const renderError = (error: unknown) => (error === NETWORK_ERROR ? "" : "No such block");
    expect(render({ error: { code: 101 } }, renderError)).toBe("No such block");
  });
});

describe("FailedRead", () => {
  it("shows what could not be read after an error, and nothing otherwise", () => {
    const line = (query: Partial<QueryResult<string[]>>) =>
      renderToStaticMarkup(<FailedRead query={{ ...IDLE, ...query }}>No fee</FailedRead>);
    expect(line({ error: NETWORK_ERROR })).toMatch(/No fee.*Try again/s);
    expect(line({ error: NETWORK_ERROR, data: [] })).toBe("");
    expect(line({})).toBe("");
  });
});
