import { Readable } from "node:stream";
import type { Files } from "../../files/index.ts";
import { invalid, optionalTextIn, textIn, wholeIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { ask, type PipelineParts, segment } from "./pipeline.ts";

export interface FileParts extends Pick<PipelineParts, "runAs"> {
  files: Pick<Files, "list" | "remove" | "save">;
}

/** Uploaded files, with what of them is kept (pinned) in IPFS. */
export function fileRoutes(parts: FileParts): StudioRoute[] {
  const { files } = parts;
  return [
    { method: "GET", path: "/files", needs: "readOnly", handle: list },
    { method: "POST", path: "/files", needs: "editor", handle: upload },
    { method: "DELETE", path: "/files", needs: "editor", handle: remove },
    { method: "GET", path: "/pins", needs: "readOnly", handle: pins },
    { method: "POST", path: "/pins", needs: "editor", handle: pin },
    { method: "DELETE", path: "/pins/:cid", needs: "editor", handle: unpin },
  ];

  async function list({ context, params }: StudioRequest) {
    const limit = Math.max(1, wholeIn(params, "limit", 100, 500));
    const found = await files.list(context, optionalTextIn(params, "after") ?? "", limit);
    const next = found.length === limit ? found.at(-1)?.name : undefined;
    return json({ results: found, ...(next !== undefined && { next }) });
  }

  /** A file as base64, for a field of a row: as large as a request may be. */
  async function upload({ params, context, note }: StudioRequest) {
    const name = textIn(params, "name", 1_000);
    const base64 = textIn(params, "base64", Number.MAX_SAFE_INTEGER);
    if (!/^[\w+/]+={0,2}$/.test(base64)) throw invalid("base64 must be base64");
    const content = Buffer.from(base64, "base64");
    note({ target: name, after: { size: content.length } });
    const saved = await files.save(context, {
      name,
      contentType: optionalTextIn(params, "contentType", 200),
      fileData: {},
      content: { stream: Readable.from([content]), size: content.length },
    });
    return json(saved, 201);
  }

  /** Names may hold slashes: they come as a parameter. */
  async function remove(request: StudioRequest) {
    const name = textIn(request.params, "name", 1_000);
    request.note({ target: name });
    await files.remove(request.context, name);
    return {};
  }

  async function pins(request: StudioRequest) {
    return (await ask(parts, request, "GET", "/ipfs/pins")).value;
  }

  async function pin(request: StudioRequest) {
    const cid = textIn(request.params, "cid", 200);
    request.note({ target: cid });
    return json((await ask(parts, request, "POST", "/ipfs/pins", { cid })).value, 201);
  }

  async function unpin(request: StudioRequest) {
    return (await ask(parts, request, "DELETE", `/ipfs/pins/${segment(request.names.cid ?? "")}`)).value;
  }
}
