import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, jsonValue, newest, page, row, text, where } from "./fields.ts";

const pushSent = z.object({ pushStatusId: z.string() });

export const pushEndpoints = {
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
};
