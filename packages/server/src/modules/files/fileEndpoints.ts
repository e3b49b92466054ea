import { z } from "zod";
import { defineEndpoints, jsonObject, nothing } from "../../core/http/endpoint.ts";

const download = {
  path: "/files/:appId/:name",
  access: "everyone",
  schemas: () => ({ ...nothing(), query: transform() }),
  streams: ["*/*"],
  errors: { 404: "The file does not exist" },
  isApplicationOptional: true,
} as const;
const resumable = { access: "everyone", schemas: nothing, streams: [] } as const;

/**
 * The endpoints of files. Their bodies and responses are streams, which `createFileRoutes` handles: parameters of images
 * that are not valid count as missing, and headers of uploads are read by the tus protocol.
 */
export const FILE_ENDPOINTS = defineEndpoints("Files and IPFS", {
  upload: {
    method: "POST",
    path: "/files/:name",
    access: "everyone",
    summary: "Upload a file: the bytes with the application id in a header, otherwise base64 in JSON",
    schemas: () => ({ body: envelope(), response: saved() }),
    rawBodyType: "*/*",
    status: 201,
    errors: { 413: "The file is too large (116)" },
  },
  download: {
    ...download,
    method: "GET",
    summary: "Download a file, with ranges; images also in other sizes and formats",
  },
  attributes: { ...download, method: "HEAD", summary: "Size and type of a file" },
  remove: {
    method: "DELETE",
    path: "/files/:name",
    access: "masterKey",
    summary: "Delete a file",
    schemas: nothing,
  },
  beginUpload: {
    ...resumable,
    method: "POST",
    path: "/files/resumable",
    summary: "Begin a resumable upload (tus 1.0); `Location` is its URL",
    status: 201,
  },
  uploadOffset: {
    ...resumable,
    method: "HEAD",
    path: "/files/resumable/:id",
    summary: "Offset of a resumable upload",
  },
  append: {
    ...resumable,
    method: "PATCH",
    path: "/files/resumable/:id",
    summary: "Append to a resumable upload",
    rawBodyType: "application/offset+octet-stream",
    status: 204,
  },
  endUpload: {
    ...resumable,
    method: "DELETE",
    path: "/files/resumable/:id",
    summary: "End a resumable upload",
    status: 204,
  },
});

function saved() {
  return z
    .object({
      name: z.string(),
      url: z.string(),
      ipfs: z.string().optional().describe("URL of the content in IPFS"),
      hash: z.string().optional().describe("Its CID"),
    })
    .meta({ id: "SavedFile" });
}

function envelope() {
  return z.object({
    base64: z.string(),
    _ContentType: z.string().optional(),
    fileData: z
      .object({
        metadata: jsonObject().optional(),
        tags: jsonObject().optional(),
        directory: z.string().optional(),
        ipfs: z.boolean().optional(),
      })
      .optional(),
  });
}

function transform() {
  const side = z.coerce.number().int().min(1).max(2_048).optional();
  return z.object({
    width: side.describe("Of images: maximum width in pixels"),
    height: side.describe("Of images: maximum height in pixels"),
    fit: z
      .enum(["inside", "cover"])
      .optional()
      .describe("Whether the whole image is kept or the box is filled"),
    format: z.enum(["webp", "avif", "jpeg", "png"]).optional(),
    quality: z.coerce.number().int().min(1).max(100).optional(),
  });
}
