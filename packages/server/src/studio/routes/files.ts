import type { Files } from "../../files/index.ts";
import { optionalTextIn, textIn, wholeIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";

export interface FileParts {
  files: Pick<Files, "list" | "remove">;
}

/** Uploaded files, with what of them is kept (pinned) in IPFS. */
export function fileRoutes({ files }: FileParts): StudioRoute[] {
  return [
    { method: "GET", path: "/files", needs: "readOnly", handle: list },
    { method: "DELETE", path: "/files", needs: "editor", handle: remove },
  ];

  async function list({ context, params }: StudioRequest) {
    const limit = Math.max(1, wholeIn(params, "limit", 100, 500));
    const found = await files.list(context, optionalTextIn(params, "after") ?? "", limit);
    const next = found.length === limit ? found.at(-1)?.name : undefined;
    return json({ results: found, ...(next !== undefined && { next }) });
  }

  /** Names may hold slashes: they come as a parameter. */
  async function remove(request: StudioRequest) {
    const name = textIn(request.params, "name", 1_000);
    request.note({ target: name });
    await files.remove(request.context, name);
    return {};
  }
}
