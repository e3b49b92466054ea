import { Readable } from "node:stream";
import type { Files } from "../../files/index.ts";
import type { PinService } from "../../ipfs/index.ts";
import { fileEndpoints as endpoints } from "../../studioApi/files.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";

type FileRequests = Requests<typeof endpoints>;

export interface FileDependencies {
  files: Pick<Files, "list" | "remove" | "save">;
  pins: PinService;
}

/** Routes for uploaded files and IPFS pins. */
export function fileRoutes({ files, pins }: FileDependencies): StudioRoute[] {
  return [
    route(endpoints.files, list),
    route(endpoints.upload, upload),
    route(endpoints.remove, remove),
    route(endpoints.pins, async () => ({ results: await pins.list() })),
    route(endpoints.pin, pin),
    route(endpoints.unpin, unpin),
  ];

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

  async function pin({ params: { cid }, setAuditDetails }: FileRequests["pin"]) {
    setAuditDetails({ target: cid });
    await pins.pin(cid);
    return { cid };
  }

  async function unpin({ pathParams }: FileRequests["unpin"]) {
    await pins.unpin(pathParams.cid);
    return {};
  }
}
