import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, jsonValue, nothing, results } from "./fields.ts";

export const studioConfigParameter = z
  .object({ name: z.string(), value: jsonValue, type: z.string(), isMasterKeyOnly: z.boolean() })
  .meta({ id: "StudioConfigParameter" });
export type StudioConfigParameter = z.infer<typeof studioConfigParameter>;

export const studioConfigVersion = z
  .object({
    id: z.string(),
    replacedAt: z.string().describe("When the version was replaced"),
    username: z.string().describe("Who replaced it"),
    params: jsonObject,
    masterKeyOnly: jsonObject,
    change: z
      .object({ names: z.array(z.string()), params: jsonObject, masterKeyOnly: jsonObject })
      .optional()
      .describe(
        "The parameters that the operator changed, with their new values; others may have changed since",
      ),
  })
  .meta({ id: "StudioConfigVersion" });
export type StudioConfigVersion = z.infer<typeof studioConfigVersion>;

export const configEndpoints = {
  config: endpoint("GET", "/config", {
    needs: "readOnly",
    summary: "The config of applications",
    input: nothing,
    response: results(studioConfigParameter),
  }),
  changeConfig: endpoint("PUT", "/config", {
    needs: "editor",
    summary: "Changes the config",
    input: z.object({ params: jsonObject, masterKeyOnly: jsonObject.optional() }),
    response: z.object({ result: z.literal(true) }),
  }),
  configHistory: endpoint("GET", "/config/history", {
    needs: "readOnly",
    summary: "Earlier versions of the config, newest first",
    input: nothing,
    response: results(studioConfigVersion),
  }),
  rollback: endpoint("POST", "/config/rollback/:id", {
    needs: "editor",
    summary: "Restores that version",
    input: nothing,
    response: z.object({ result: z.literal(true) }),
  }),
};
