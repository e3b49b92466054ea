import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type InProcessServer, startInProcess } from "../test/inProcessServer.ts";
import { parseOpenApi } from "./api/parseEndpoints/openApi.ts";
import { PARSE_ENDPOINTS } from "./api/parseEndpoints/table.ts";
import type { RouteDefinition } from "./core/http/router.ts";

const MASTER_KEY = "a master key of this test";

/** The routes of all routers of a server. */
const registered = vi.hoisted(() => new Set<string>());

vi.mock("./core/http/router.ts", async (importOriginal) => {
  const { Router } = await importOriginal<typeof import("./core/http/router.ts")>();
  return {
    Router: class extends Router<RouteDefinition> {
      constructor(routes: readonly RouteDefinition[]) {
        super(routes);
        for (const { method, path } of routes) registered.add(`${method} ${path}`);
      }
    },
  };
});

describe("parseOpenApi()", () => {
  let server: InProcessServer | undefined;

  beforeAll(async () => {
    server = await startInProcess({ PURSE_MASTER_KEY: MASTER_KEY });
  });
  afterAll(() => server?.remove());

  it("returns a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...parseOpenApi() })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes exactly the routes that are registered", () => {
    const endpoints = Object.values(PARSE_ENDPOINTS).flat();
    const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    const described = endpoints.map(keyOf);
    expect(described).toEqual([...new Set(described)]);
    // Health checks are answered by every method, of which one is described.
    const others = [...registered].filter((route) => !/^(?:POST|PUT|DELETE) \/health$/.test(route));
    expect(others.filter((route) => !described.includes(route))).toEqual([]);
    // Files are streams, which the router does not handle.
    const routes = endpoints.filter(({ isStream }) => !isStream).map(keyOf);
    expect(routes.filter((route) => !registered.has(route))).toEqual([]);
  });

  it("describes the actual responses of a server", async () => {
    const headers = { "x-parse-application-id": "test", "x-parse-master-key": MASTER_KEY };
    const readable = Object.values(PARSE_ENDPOINTS)
      .flat()
      .filter(({ method, path, access }) => method === "GET" && access !== "user" && !path.includes(":"))
      .filter(({ path, streams }) => !streams && !["/login", "/verifyPassword"].includes(path));
    expect(readable.length).toBeGreaterThan(10);
    for (const { path, response } of readable) {
      const reply = await fetch(`${server?.url}/server${path}`, { headers });
      const { success, error } = response.safeParse(await reply.json());
      expect([path, reply.status, success, error]).toEqual([path, 200, true, undefined]);
    }
  });

  it("is shown as a page that runs no scripts", async () => {
    const reply = await fetch(`${server?.url}/server/docs`);
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await reply.text();
    for (const { summary } of Object.values(PARSE_ENDPOINTS).flat().slice(0, 20))
      expect(page).toContain(summary.replace(/`([^`]+)`/g, "<code>$1</code>"));
  });

  it("is served without an application ID", async () => {
    const reply = await fetch(`${server?.url}/server/openapi.json`);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual(parseOpenApi());
  });
});
