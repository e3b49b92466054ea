import { ErrorCode, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, nothing, routesOf } from "../../core/http/endpoint.ts";
import type { PinService } from "./pinService.ts";

const ENDPOINTS = defineEndpoints("Files and IPFS", {
  list: {
    method: "GET",
    path: "/ipfs/pins",
    access: "masterKey",
    summary: "IPFS pins",
    schemas: () => ({
      response: z.object({
        results: z.array(z.object({ cid: z.string(), pinnedAt: z.string().optional() })),
      }),
    }),
  },
  pin: {
    method: "POST",
    path: "/ipfs/pins",
    access: "masterKey",
    summary: "Pin a CID",
    schemas: () => ({ body: z.object({ cid: z.string() }), response: z.object({ cid: z.string() }) }),
    status: 201,
  },
  unpin: {
    method: "DELETE",
    path: "/ipfs/pins/:cid",
    access: "masterKey",
    summary: "Unpin a CID",
    schemas: nothing,
  },
});

/** Routes to manage IPFS pins. */
export function pinRoutes(service: PinService): ApiRoute[] {
  return routesOf(ENDPOINTS, {
    list: async () => ({ results: (await service.list()).map((pin) => ({ ...pin })) }),
    async pin({ params: { cid } }) {
      if (typeof cid !== "string") throw new ProtocolError(ErrorCode.INVALID_JSON, "cid must be a string");
      await service.pin(cid);
      return { status: 201, body: JSON.stringify({ cid }) };
    },
    async unpin({ pathParams }) {
      await service.unpin(pathParams.cid ?? "");
      return {};
    },
  });
}
