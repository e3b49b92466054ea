import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { Ipfs } from "./ipfs.ts";

/** Routes to manage IPFS pins: `/ipfs/pins`. */
export function pinRoutes(ipfs: Ipfs): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/ipfs/pins",
      async handle(request) {
        assertMaster(request);
        return { results: (await ipfs.pins()).map((pin) => ({ ...pin })) };
      },
    },
    {
      method: "POST",
      path: "/ipfs/pins",
      async handle(request) {
        assertMaster(request, "write");
        const { cid } = request.params;
        if (typeof cid !== "string") throw new ProtocolError(ErrorCode.INVALID_JSON, "cid must be a string");
        if (!(await ipfs.pin(cid))) throw notFound("Some of this content is missing");
        return { status: 201, body: JSON.stringify({ cid }) };
      },
    },
    {
      method: "DELETE",
      path: "/ipfs/pins/:cid",
      async handle(request) {
        assertMaster(request, "write");
        if (!(await ipfs.unpin(request.pathParams.cid ?? ""))) throw notFound("This content is not pinned");
        return {};
      },
    },
  ];
}

function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}
