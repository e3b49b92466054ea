import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseOpenApi } from "./api/parseEndpoints/openApi.ts";
import { PARSE_ENDPOINTS } from "./api/parseEndpoints/table.ts";
import { loadConfig } from "./config/loadConfig.ts";
import type { RouteDefinition } from "./core/http/router.ts";
import { createLogger } from "./core/logger.ts";
import { createServer, type PurseServer } from "./server.ts";

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
  let server: PurseServer | undefined;
  let folder = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-openapi-"));
    const env = { PURSE_DATA_DIR: folder };
    const config = await loadConfig({ argv: [], env, cwd: folder });
    const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
    server = await createServer(config, { logger, chains: [] });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is a valid OpenAPI 3.1 document", async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...parseOpenApi() })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes exactly the routes that are registered", () => {
    const endpoints = Object.values(PARSE_ENDPOINTS).flat();
    const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    const described = endpoints.map(keyOf);
    expect(described).toEqual([...new Set(described)]);
    expect([...registered].filter((route) => !described.includes(route))).toEqual([]);
    // Files are streams, which the router does not handle.
    const routes = endpoints.filter(({ isStream }) => !isStream).map(keyOf);
    expect(routes.filter((route) => !registered.has(route))).toEqual([]);
  });
});
