import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type InProcessServer, startInProcess } from "../test/inProcessServer.ts";

const MASTER_KEY = "a master key of this test";

interface Operation {
  summary: string;
  tags: string[];
  "x-access": string;
  responses: Record<string, { content: Record<string, { schema?: Record<string, unknown> }> }>;
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

describe("the OpenAPI document of the Parse API", () => {
  let server: InProcessServer;
  let document: OpenApi;

  beforeAll(async () => {
    server = await startInProcess({ PURSE_MASTER_KEY: MASTER_KEY });
    const reply = await fetch(`${server.url}/server/openapi.json`);
    document = JSON.parse(await reply.text());
  });
  afterAll(() => server.remove());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    );

  it("is valid OpenAPI 3.1, and served without an application ID", async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes the actual responses of a server", async () => {
    const headers = { "x-parse-application-id": "test", "x-parse-master-key": MASTER_KEY };
    const readable = operations()
      .filter(({ method, path, operation }) => {
        const isJson = operation.responses["200"]?.content["application/json"] !== undefined;
        return method === "get" && operation["x-access"] !== "user" && !path.includes("{") && isJson;
      })
      .filter(({ path }) => !["/login", "/verifyPassword"].includes(path));
    expect(readable.length).toBeGreaterThan(10);
    for (const { path, operation } of readable) {
      const reply = await fetch(`${server.url}/server${path}`, { headers });
      const { success, error } = responseSchema(document, operation).safeParse(await reply.json());
      expect([path, reply.status, success, error]).toEqual([path, 200, true, undefined]);
    }
  });

  it("is shown as a page that runs no scripts", async () => {
    const reply = await fetch(`${server.url}/server/docs`);
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await reply.text();
    for (const { operation } of operations().slice(0, 20))
      expect(page).toContain(operation.summary.replace(/`([^`]+)`/g, "<code>$1</code>"));
  });
});

/** The schema of the successful response of an operation. */
function responseSchema({ components }: OpenApi, { responses }: Operation): z.ZodType {
  const schema = responses["200"]?.content["application/json"]?.schema;
  const local = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  return z.fromJSONSchema(JSON.parse(local));
}
