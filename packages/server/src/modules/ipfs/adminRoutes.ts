import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { pinEndpoints as endpoints } from "../../studioApi/pins.ts";
import type { PinService } from "./pinService.ts";

type PinRequests = Requests<typeof endpoints>;

/** Routes of the admin API for IPFS pins. */
export function pinAdminRoutes(pins: PinService): StudioRoute[] {
  return [
    route(endpoints.pins, async () => ({ results: await pins.list() })),
    route(endpoints.pin, pin),
    route(endpoints.unpin, unpin),
  ];

  async function pin({ params: { cid }, setAuditDetails }: PinRequests["pin"]) {
    setAuditDetails({ target: cid });
    await pins.pin(cid);
    return { cid };
  }

  async function unpin({ pathParams }: PinRequests["unpin"]) {
    await pins.unpin(pathParams.cid);
    return {};
  }
}
