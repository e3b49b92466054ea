import { z } from "zod";
import { jsonObject, nothing, type ParseEndpoint } from "./row.ts";

const saved = z
  .object({
    name: z.string(),
    url: z.string(),
    ipfs: z.string().optional().describe("URL of the content in IPFS"),
    hash: z.string().optional().describe("Its CID"),
  })
  .meta({ id: "SavedFile" });
const envelope = z.object({
  base64: z.string(),
  _ContentType: z.string().optional(),
  fileData: z
    .object({
      metadata: jsonObject.optional(),
      tags: jsonObject.optional(),
      directory: z.string().optional(),
      ipfs: z.boolean().optional(),
    })
    .optional(),
});
const MISSING = { 404: "The file does not exist" };
const stream = { response: nothing, isStream: true } as const;

const side = z.coerce.number().int().min(1).max(2_048).optional();
const transform = z.object({
  width: side.describe("Of images: maximum width in pixels"),
  height: side.describe("Of images: maximum height in pixels"),
  fit: z
    .enum(["inside", "cover"])
    .optional()
    .describe("Whether the whole image is kept or the box is filled"),
  format: z.enum(["webp", "avif", "jpeg", "png"]).optional(),
  quality: z.coerce.number().int().min(1).max(100).optional(),
});

function download(method: "GET" | "HEAD", summary: string): ParseEndpoint {
  return {
    ...stream,
    method,
    path: "/files/:appId/:name",
    access: "everyone",
    summary,
    query: transform,
    streams: ["*/*"],
    errors: MISSING,
    isApplicationOptional: true,
  };
}

/** Files and pins. The bodies and responses of files are streams. */
export const FILE_ENDPOINTS: readonly ParseEndpoint[] = [
  {
    method: "POST",
    path: "/files/:name",
    access: "everyone",
    summary: "Upload a file: the bytes with the application id in a header, otherwise base64 in JSON",
    body: envelope,
    rawBodyType: "*/*",
    response: saved,
    status: 201,
    isStream: true,
    errors: { 413: "The file is too large (116)" },
  },
  download("GET", "Download a file, with ranges; images also in other sizes and formats"),
  download("HEAD", "Size and type of a file"),
  { ...stream, method: "DELETE", path: "/files/:name", access: "masterKey", summary: "Delete a file" },
  {
    ...stream,
    method: "POST",
    path: "/files/resumable",
    access: "everyone",
    summary: "Begin a resumable upload (tus 1.0); `Location` is its URL",
    status: 201,
    streams: [],
  },
  {
    ...stream,
    method: "HEAD",
    path: "/files/resumable/:id",
    access: "everyone",
    summary: "Offset of a resumable upload",
    streams: [],
  },
  {
    ...stream,
    method: "PATCH",
    path: "/files/resumable/:id",
    access: "everyone",
    summary: "Append to a resumable upload",
    rawBodyType: "application/offset+octet-stream",
    status: 204,
    streams: [],
  },
  {
    ...stream,
    method: "DELETE",
    path: "/files/resumable/:id",
    access: "everyone",
    summary: "End a resumable upload",
    status: 204,
    streams: [],
  },
  {
    method: "GET",
    path: "/ipfs/pins",
    access: "masterKey",
    summary: "IPFS pins",
    response: z.object({ results: z.array(z.object({ cid: z.string(), pinnedAt: z.string().optional() })) }),
  },
  {
    method: "POST",
    path: "/ipfs/pins",
    access: "masterKey",
    summary: "Pin a CID",
    body: z.object({ cid: z.string() }),
    response: z.object({ cid: z.string() }),
    status: 201,
  },
  {
    method: "DELETE",
    path: "/ipfs/pins/:cid",
    access: "masterKey",
    summary: "Unpin a CID",
    response: nothing,
  },
];
