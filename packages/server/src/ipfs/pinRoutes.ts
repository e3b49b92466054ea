import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { PinService } from "./pinService.ts";

/** Routes to manage IPFS pins with the master key: `/ipfs/pins`. */
export function pinRoutes(service: PinService): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/ipfs/pins",
      async handle(request) {
        assertMaster(request);
        return { results: (await service.list()).map((pin) => ({ ...pin })) };
      },
    },
    {
      method: "POST",
      path: "/ipfs/pins",
      async handle(request) {
        assertMaster(request, "write");
        const { cid } = request.params;
        if (typeof cid !== "string") throw new ProtocolError(ErrorCode.INVALID_JSON, "cid must be a string");
        await service.pin(cid);
        return { status: 201, body: JSON.stringify({ cid }) };
      },
    },
    {
      method: "DELETE",
      path: "/ipfs/pins/:cid",
      async handle(request) {
        assertMaster(request, "write");
        await service.unpin(request.pathParams.cid ?? "");
        return {};
      },
    },
  ];
}
