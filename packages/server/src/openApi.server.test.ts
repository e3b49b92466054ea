import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type DescribedRoute, describedRoutes, type OpenApi, readOpenApi } from "../test/describedRoutes.ts";
import { type InProcessServer, startInProcess } from "../test/inProcessServer.ts";

const MASTER_KEY = "a master key of this test";

describe("the OpenAPI document of the Parse API", () => {
  let server: InProcessServer;
  let document: OpenApi;

  beforeAll(async () => {
    server = await startInProcess({ PURSE_MASTER_KEY: MASTER_KEY });
    document = await readOpenApi(server.url);
  });
  afterAll(() => server.remove());

  it("is valid OpenAPI 3.1, and served without an application ID", async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes the actual responses of a server", async () => {
    const headers = { "x-parse-application-id": "test", "x-parse-master-key": MASTER_KEY };
    const readable = describedRoutes(document)
      .filter(({ method, path, operation }) => {
        const isJson = operation.responses["200"]?.content["application/json"] !== undefined;
        return method === "GET" && operation["x-access"] !== "user" && !path.includes("{") && isJson;
      })
      .filter(({ path }) => !["/login", "/verifyPassword"].includes(path));
    expect(readable.length).toBeGreaterThan(10);
    for (const { path, operation } of readable) {
      const reply = await fetch(`${server.url}/server${path}`, { headers });
      const { success, error } = responseSchema(document, operation).safeParse(await reply.json());
      expect([path, reply.status, success, error]).toEqual([path, 200, true, undefined]);
    }
  });

  it("has a page in the documentation, to which its path leads", async () => {
    const reply = await fetch(`${server.url}/server/docs`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/docs/reference/rest-endpoints"]);
  });
});

/** The schema of the successful response of an operation. */
function responseSchema({ components }: OpenApi, { responses }: DescribedRoute["operation"]): z.ZodType {
  const schema = responses["200"]?.content["application/json"]?.schema;
  const local = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  return z.fromJSONSchema(JSON.parse(local));
}
