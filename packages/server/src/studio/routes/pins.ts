import type { PinService } from "../../ipfs/index.ts";
import { pinEndpoints as endpoints } from "../../studioApi/pins.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";

type PinRequests = Requests<typeof endpoints>;

export interface PinDependencies {
  pins: PinService;
}

/** Routes for IPFS pins. */
export function pinRoutes({ pins }: PinDependencies): StudioRoute[] {
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
