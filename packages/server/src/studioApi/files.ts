import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, limit, nothing, page, text } from "./fields.ts";

export const studioFile = z
  .object({
    name: z.string(),
    url: z.string(),
    size: z.int().describe("In bytes"),
    modifiedAt: z.string(),
    metadata: jsonObject.optional(),
    tags: jsonObject.optional(),
    hash: z.string().optional().describe("The CID, if the content is also in IPFS"),
    ipfs: z.string().optional(),
  })
  .meta({ id: "StudioFile" });
export type StudioFile = z.infer<typeof studioFile>;

export const fileEndpoints = {
  files: endpoint("GET", "/files", {
    needs: "readOnly",
    summary: "Uploaded files by name",
    input: z.object({ limit: limit(100, 500), after: text().optional() }),
    response: page(studioFile),
  }),
  /** As base64, limited by the maximum size of requests. */
  upload: endpoint("POST", "/files", {
    needs: "editor",
    summary: "Uploads a file, limited to the size of a request",
    input: z.object({
      name: text(1_000),
      base64: text(Number.MAX_SAFE_INTEGER).refine(
        (value) => /^[\w+/]+={0,2}$/.test(value),
        "must be valid base64",
      ),
      contentType: text(200).optional(),
    }),
    response: z.object({
      name: z.string(),
      url: z.string(),
      hash: z.string().optional(),
      ipfs: z.string().optional(),
    }),
    status: 201,
  }),
  /** The name is a parameter because it may contain slashes. */
  remove: endpoint("DELETE", "/files", {
    needs: "editor",
    summary: "Deletes a file",
    input: z.object({ name: text(1_000) }),
    response: nothing,
  }),
};
