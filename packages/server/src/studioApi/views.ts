import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { flag, jsonObject, nothing, results, text } from "./fields.ts";

export const studioView = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.string().describe("Who saved it"),
    isOwn: z.boolean().describe("Whether you saved it"),
    isShared: z.boolean().describe("Whether all operators see it"),
    view: jsonObject.describe("Filters, order and chart, in the format of the studio's pages"),
  })
  .meta({ id: "StudioView" });
export type StudioView = z.infer<typeof studioView>;

export const viewEndpoints = {
  views: endpoint("GET", "/views/:className", {
    needs: "readOnly",
    summary: "Your saved views of a class and those that others share, by name",
    input: nothing,
    response: results(studioView),
  }),
  saveView: endpoint("PUT", "/views/:className", {
    needs: "session",
    summary: "Saves a view, in place of your view of that name; editors can share it",
    input: z.object({ name: text(80), view: jsonObject, isShared: flag }),
    response: studioView,
  }),
  removeView: endpoint("DELETE", "/views/:className/:id", {
    needs: "session",
    summary: "Removes one of your views; owners remove shared views of others, too",
    input: nothing,
    response: nothing,
  }),
};
