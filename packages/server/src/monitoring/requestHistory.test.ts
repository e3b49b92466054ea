import { describe, expect, it } from "vitest";
import { createRequestHistory } from "./requestHistory.ts";

const request = (status: number, path = "/server/classes/Note") => ({
  at: Date.UTC(2026, 0, 1),
  method: "GET",
  path,
  status,
  ms: 1,
  requestId: `${status}`,
});

describe("the request history", () => {
  it("lists requests by status, newest first", () => {
    const history = createRequestHistory();
    for (const status of [200, 404, 500, 400, 503]) history.record(request(status));
    const statuses = (kind: "all" | "refused" | "failed") => history.list(kind).map(({ status }) => status);
    expect(statuses("all")).toEqual([503, 400, 500, 404, 200]);
    expect(statuses("refused")).toEqual([400, 404]);
    expect(statuses("failed")).toEqual([503, 500]);
    expect(history.list("all")[0]).toEqual({ ...request(503), at: "2026-01-01T00:00:00.000Z" });
  });

  it("keeps rejected requests even if many others follow, and truncates long paths", () => {
    const history = createRequestHistory();
    history.record(request(403, `/${"x".repeat(1_000)}`));
    for (let i = 0; i < 2_000; i++) history.record(request(200));
    expect(history.list("all")).toHaveLength(300);
    expect(history.list("refused").map(({ path }) => path.length)).toEqual([300]);
  });
});
