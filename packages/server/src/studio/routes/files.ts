import { Readable } from "node:stream";
import type { Files } from "../../files/index.ts";
import type { PinService } from "../../ipfs/index.ts";
import {
  integerParameter,
  invalidParameter,
  optionalStringParameter,
  stringParameter,
} from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";

export interface FileDependencies {
  files: Pick<Files, "list" | "remove" | "save">;
  pins: PinService;
}

/** Routes for uploaded files and IPFS pins. */
export function fileRoutes({ files, pins }: FileDependencies): StudioRoute[] {
  return [
    { method: "GET", path: "/files", needs: "readOnly", handle: list },
    { method: "POST", path: "/files", needs: "editor", handle: upload },
    { method: "DELETE", path: "/files", needs: "editor", handle: remove },
    { method: "GET", path: "/pins", needs: "readOnly", handle: listPins },
    { method: "POST", path: "/pins", needs: "editor", handle: pin },
    { method: "DELETE", path: "/pins/:cid", needs: "editor", handle: unpin },
  ];

  async function list({ context, params }: StudioRequest) {
    const limit = Math.max(1, integerParameter(params, "limit", 100, 500));
    const found = await files.list(context, optionalStringParameter(params, "after") ?? "", limit);
    const next = found.length === limit ? found.at(-1)?.name : undefined;
    return json({ results: found, ...(next !== undefined && { next }) });
  }

  /** Uploads a file as base64, limited by the maximum size of requests. */
  async function upload({ params, context, setAuditDetails }: StudioRequest) {
    const name = stringParameter(params, "name", 1_000);
    const base64 = stringParameter(params, "base64", Number.MAX_SAFE_INTEGER);
    if (!/^[\w+/]+={0,2}$/.test(base64)) throw invalidParameter("base64 must be valid base64");
    const content = Buffer.from(base64, "base64");
    setAuditDetails({ target: name, after: { size: content.length } });
    const saved = await files.save(context, {
      name,
      contentType: optionalStringParameter(params, "contentType", 200),
      fileData: {},
      content: { stream: Readable.from([content]), size: content.length },
    });
    return json(saved, 201);
  }

  /** The name is a parameter because it may contain slashes. */
  async function remove(request: StudioRequest) {
    const name = stringParameter(request.params, "name", 1_000);
    request.setAuditDetails({ target: name });
    await files.remove(request.context, name);
    return {};
  }

  async function listPins() {
    return json({ results: await pins.list() });
  }

  async function pin(request: StudioRequest) {
    const cid = stringParameter(request.params, "cid", 200);
    request.setAuditDetails({ target: cid });
    await pins.pin(cid);
    return json({ cid }, 201);
  }

  async function unpin(request: StudioRequest) {
    await pins.unpin(request.pathParams.cid ?? "");
    return {};
  }
}
