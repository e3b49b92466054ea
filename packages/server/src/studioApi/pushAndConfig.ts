import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, jsonValue, newest, nothing, page, results, row, text, where } from "./fields.ts";

const pushSent = z.object({ pushStatusId: z.string() });

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

export const pushAndConfigEndpoints = {
  audience: endpoint("GET", "/push/audience", {
    needs: "readOnly",
    summary: "Counts the installations that a push would reach",
    input: z.object({ where }),
    response: z.object({ installations: z.int(), reachable: z.int() }),
  }),
  pushHistory: endpoint("GET", "/push/history", {
    needs: "readOnly",
    summary: "Rows of `_PushStatus`",
    input: z.object(newest),
    response: page(row),
  }),
  push: endpoint("POST", "/push", {
    needs: "editor",
    summary: "Sends a push, as `/push` of the Parse API",
    input: z.object({
      where: jsonValue.optional(),
      channels: jsonValue.optional(),
      data: jsonValue.optional(),
      push_time: jsonValue.optional(),
      expiration_time: jsonValue.optional(),
      expiration_interval: jsonValue.optional(),
      title: jsonValue.optional(),
    }),
    response: pushSent,
    status: 201,
  }),
  testPush: endpoint("POST", "/push/test", {
    needs: "editor",
    summary: "Sends a push to one installation",
    input: z.object({ installation: text().describe("Its objectId"), data: jsonObject }),
    response: pushSent,
    status: 201,
  }),
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
