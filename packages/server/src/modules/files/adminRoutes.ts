import { Readable } from "node:stream";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { fileEndpoints as endpoints } from "../../studioApi/files.ts";
import type { Files } from "./files.ts";

type FileRequests = Requests<typeof endpoints>;

/** Routes of the admin API for uploaded files. */
export function fileAdminRoutes(files: Pick<Files, "list" | "remove" | "save">): StudioRoute[] {
  return [route(endpoints.files, list), route(endpoints.upload, upload), route(endpoints.remove, remove)];

  async function list({ context, params: { limit, after = "" } }: FileRequests["files"]) {
    const found = await files.list(context, after, limit);
    const next = found.length === limit ? found.at(-1)?.name : undefined;
    return { results: found, ...(next !== undefined && { next }) };
  }

  async function upload({ params, context, setAuditDetails }: FileRequests["upload"]) {
    const { name, contentType } = params;
    const content = Buffer.from(params.base64, "base64");
    setAuditDetails({ target: name, after: { size: content.length } });
    return files.save(context, {
      name,
      contentType,
      fileData: {},
      content: { stream: Readable.from([content]), size: content.length },
    });
  }

  async function remove({ params: { name }, context, setAuditDetails }: FileRequests["remove"]) {
    setAuditDetails({ target: name });
    await files.remove(context, name);
    return {};
  }
}
