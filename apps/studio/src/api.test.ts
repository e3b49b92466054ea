import { afterEach, describe, expect, it, vi } from "vitest";
import { StudioApi } from "./api.ts";

const studio = new StudioApi();
const requests: { url: string; method: string; body: unknown }[] = [];

/** Answers all requests with `{}` and records them. */
function recordRequests(): void {
  vi.stubGlobal("fetch", async (url: string, { method = "", body }: RequestInit) => {
    requests.push({ url, method, body: typeof body === "string" ? JSON.parse(body) : body });
    return new Response("{}");
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  requests.length = 0;
});

describe("StudioApi", () => {
  it("sends path parameters encoded, and the others in the query string or the body", async () => {
    recordRequests();
    await studio.get("/data/:className", {
      className: "A/B",
      where: { n: 1 },
      limit: 5,
      order: "",
      as: undefined,
    });
    await studio.put("/schema/classes/:className", { className: "Game", edit: { fields: {} } });
    await studio.delete("/keys/:id", { id: "k 1" });
    expect(requests).toEqual([
      { url: "/studio/api/data/A%2FB?where=%7B%22n%22%3A1%7D&limit=5", method: "GET", body: undefined },
      { url: "/studio/api/schema/classes/Game", method: "PUT", body: { edit: { fields: {} } } },
      { url: "/studio/api/keys/k%201", method: "DELETE", body: {} },
    ]);
  });

  it("compiles only with paths and parameters that the server has", () => {
    // The calls are compiled, not executed.
    const calls = [
      // @ts-expect-error: there is no such path.
      () => studio.get("/nothing", {}),
      // @ts-expect-error: the path does not take this method.
      () => studio.post("/roles", {}),
      // @ts-expect-error: the parameter of the path is missing.
      () => studio.delete("/keys/:id", {}),
      // @ts-expect-error: the parameter has another type.
      () => studio.post("/backup-uploads", { sizeBytes: "1" }),
      // @ts-expect-error: there is no such parameter.
      () => studio.put("/second-factor", { code: "1", password: "2" }),
      // @ts-expect-error: the response has no such field.
      async () => (await studio.get("/roles", {})).results,
    ];
    expect(calls).toHaveLength(6);
  });
});
