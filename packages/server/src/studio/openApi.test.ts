import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { studioOpenApi } from "./openApi.ts";

describe("studioOpenApi()", () => {
  it("returns a valid OpenAPI 3.1 document", async () => {
    const document = studioOpenApi();
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("describes parameters by the schemas that validate them", () => {
    expect(studioOpenApi()).toMatchObject({
      paths: {
        "/data/{className}/bulk": {
          post: { requestBody: { content: { "application/json": { schema: { required: ["action"] } } } } },
        },
        "/backup-uploads/{id}": {
          put: {
            parameters: [
              { name: "id", in: "path" },
              { name: "offset", in: "query" },
            ],
          },
        },
      },
      components: { schemas: { StudioOperator: { type: "object" } } },
    });
  });
});
