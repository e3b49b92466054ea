import { ErrorCode } from "@purse/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { type DescribedRoute, describedRoutes, readOpenApi } from "../test/describedRoutes.ts";
import { startInProcess } from "../test/inProcessServer.ts";
import { configureModules } from "./config/moduleSettings.ts";
import { systemClasses } from "./data/schema/systemClasses.ts";
import { MODULES } from "./modules.ts";

const MASTER = { "x-parse-master-key": "a master key of this test" };
const MAINTENANCE = { "x-parse-maintenance-key": "a maintenance key of this test" };

/** Routes of objects, whose permissions the key bypasses. All other routes treat it like no key. */
const OBJECT_ROUTES = /^\/(?:classes\/|users|roles|installations|sessions|batch|verifyPassword)/;
const SAMPLES: Record<string, string> = { className: "Item", appId: "test", name: "a.txt", cid: "bafy" };

type Endpoint = [method: string, path: string];
const server = await startInProcess({
  PURSE_MASTER_KEY: MASTER["x-parse-master-key"],
  PURSE_MAINTENANCE_KEY: MAINTENANCE["x-parse-maintenance-key"],
  PURSE_REQUIRE_API_KEY: "1",
  PURSE_ALLOW_PUBLIC_EXPLAIN: "0",
});
const routes = describedRoutes(await readOpenApi(server.url));
const needsMasterKey = ({ operation }: DescribedRoute) => operation["x-access"] === "masterKey";
const OPERATOR_ENDPOINTS = routes.filter(needsMasterKey).map(sampleOf);
const OTHER_ENDPOINTS = routes
  .filter((route) => !needsMasterKey(route) && !OBJECT_ROUTES.test(route.path))
  .map(sampleOf);
const MODULES_OF_SERVER = configureModules(
  MODULES,
  { flags: {}, env: {}, file: {} },
  { environment: "development", compatibility: "strict", roles: [], dataDir: "", cwd: "." },
);
const SERVER_CLASSES = [...systemClasses(MODULES_OF_SERVER.flatMap(({ classes }) => classes)).values()]
  .filter(({ clientAccess }) => !clientAccess)
  .map(({ className }) => className);

describe("the maintenance key", () => {
  afterAll(() => server.remove());

  const ask = async (
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string; body: Record<string, unknown> }> => {
    const hasBody = method !== "GET" && method !== "HEAD";
    const reply = await fetch(`${server.url}${path}`, {
      method,
      headers: { "x-parse-application-id": "test", "content-type": "application/json", ...headers },
      ...(hasBody && { body: JSON.stringify(body ?? {}) }),
    });
    const text = await reply.text();
    const isJson = reply.headers.get("content-type")?.startsWith("application/json") && text !== "";
    return { status: reply.status, text, body: isJson ? JSON.parse(text) : {} };
  };
  const maintain = (method: string, path: string, body?: object) =>
    ask(method, `/server${path}`, body, MAINTENANCE);

  it.each(OPERATOR_ENDPOINTS)(
    "is rejected with 119 by %s %s, which needs the master key",
    async (...endpoint) => {
      const { status, body } = await maintain(...endpoint);
      expect([status, body.code]).toEqual([403, ErrorCode.OPERATION_FORBIDDEN]);
    },
  );

  it("is rejected with 119 by the same routes in a batch", async () => {
    // Files are streams, which a batch cannot contain.
    const requests = OPERATOR_ENDPOINTS.filter(([, path]) => !path.startsWith("/files")).map(
      ([method, path]) => ({ method, path: `/server${path}`, body: {} }),
    );
    const { body } = await maintain("POST", "/batch", { requests });
    const codes = Object.values(body).map((each) => Object(each).error?.code);
    expect(codes).toEqual(requests.map(() => ErrorCode.OPERATION_FORBIDDEN));
  });

  it.each(OTHER_ENDPOINTS)(
    "grants no more access to %s %s than a client without keys has",
    async (method, path) => {
      const [own, anonymous] = [await maintain(method, path), await ask(method, `/server${path}`, {}, {})];
      expect([own.status, own.body.code]).toEqual([anonymous.status, anonymous.body.code]);
    },
  );

  it.each(SERVER_CLASSES)(
    "is rejected with 119 by the objects of the built-in class %s",
    async (className) => {
      const path = `/classes/${className}`;
      for (const [method, each] of [
        ["GET", path],
        ["POST", path],
        ["GET", `${path}/x`],
        ["PUT", `${path}/x`],
        ["DELETE", `${path}/x`],
      ] as const) {
        const { body } = await maintain(method, each);
        expect([method, body.code]).toEqual([method, ErrorCode.OPERATION_FORBIDDEN]);
      }
    },
  );

  it("does not show parameters of the configuration that need the master key", async () => {
    const config = { params: { open: 1, secret: 2 }, masterKeyOnly: { secret: true } };
    expect((await ask("PUT", "/server/config", config, MASTER)).status).toBe(200);
    expect((await maintain("GET", "/config")).body.params).toEqual({ open: 1 });
  });

  it("does not explain queries", async () => {
    expect((await maintain("GET", "/classes/Item?explain=true")).body.code).toBe(ErrorCode.INVALID_QUERY);
  });

  it("grants access to neither the data API nor the studio", async () => {
    const path = "/api/v2/0x0000000000000000000000000000000000000001/balance";
    expect((await ask("GET", path, undefined, MASTER)).status).not.toBe(401);
    expect((await ask("GET", path, undefined, MAINTENANCE)).status).toBe(401);
    expect((await ask("GET", "/studio/api/routes", undefined, MAINTENANCE)).status).toBe(401);
  });
});

function sampleOf({ method, path }: DescribedRoute): Endpoint {
  return [method, path.replace(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? "x")];
}
